namespace Sc2Bridge.Streaming.Tests;

public sealed class AllocationTests
{
    [Theory]
    [InlineData(Policy.Every)]
    [InlineData(Policy.Latest)]
    public void Publishing_to_64_subscribers_allocates_nothing_for_a_frame(Policy policy)
    {
        const int rounds = 1000;
        using var match = new TestMatch();
        using var stop = new CancellationTokenSource();
        var subscriptions = Enumerable.Range(0, 64).Select(_ => match.Subscribe(policy, inline: true)).ToList();
        var readers = subscriptions.Select(subscription => ReadAll(subscription, stop.Token)).ToList();
        var frame = match.MakeFrame(0);

        // The same frame repeatedly: a new frame costs a few objects, whatever the number of readers. Everything
        // happens on this thread, because the readers continue inline.
        Publish(match, frame, rounds);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Publish(match, frame, rounds);
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.InRange(allocated, 0, 64 * rounds);
        TestContext.Current.TestOutputHelper?.WriteLine($"{policy}: {allocated} bytes for {rounds} frames to 64");
        Assert.All(match.Hub.Subscribers, state => Assert.Equal(2 * rounds, state.Delivered));
        subscriptions.ForEach(subscription => subscription.Dispose());
        Assert.All(readers, reader => Assert.True(reader.IsFaulted));
        frame.Release();
        match.AssertAllReleased();
    }

    private static void Publish(TestMatch match, ObservationFrame frame, int rounds)
    {
        for (var round = 0; round < rounds; round++)
        {
            frame.Retain();
            var published = match.Hub.Publisher.PublishAsync(frame, default);
            Assert.True(published.IsCompletedSuccessfully);
        }
    }

    private static async Task ReadAll(Subscription subscription, CancellationToken ct)
    {
        while (true)
        {
            (await subscription.ReadAsync(ct)).Release();
        }
    }
}
