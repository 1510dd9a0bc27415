namespace Sc2Bridge.Streaming.Tests;

public sealed class UpkeepTests
{
    [Fact]
    public void It_does_not_begin_again_before_it_has_ended()
    {
        var time = new ManualTime();
        using var hub = new Hub(new HubOptions { TimeProvider = time });
        var (begun, running, most) = (0, 0, 0);
        time.WallRead = () =>
        {
            begun++;
            most = Math.Max(most, ++running);
            if (running == 1)
            {
                // Other timers fire while it runs for five seconds.
                time.Advance(TimeSpan.FromSeconds(5));
            }

            running--;
        };
        for (var call = 1; call <= 3; call++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            Assert.Equal((call, 1), (begun, most));
        }
    }
}
