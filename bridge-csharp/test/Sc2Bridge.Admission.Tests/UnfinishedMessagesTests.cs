namespace Sc2Bridge.Admission.Tests;

public sealed class UnfinishedMessagesTests
{
    [Fact]
    public void A_peer_that_is_cut_off_gets_the_reason_before_its_own_read_fails()
    {
        var all = new UnfinishedMessages(maxBytes: 100 << 10);
        List<string> reasons = [];
        UnfinishedMessage? second = null;
        using var first = all.Track(() =>
        {
            // The second message is cut off at the same time, but its reason comes later.
            Assert.False(second!.Resize(60 << 10));
            reasons.Add("first");
        });
        using (second = all.Track(() => reasons.Add("second")))
        {
            Assert.True(first.Resize(50 << 10));
            Assert.True(second.Resize(50 << 10));
            using var third = all.Track(() => reasons.Add("third"));
            Assert.True(third.Resize(100 << 10));
            Assert.Equal(["second", "first", "second"], reasons);
        }

        Assert.Equal(3, reasons.Count);
    }
}
