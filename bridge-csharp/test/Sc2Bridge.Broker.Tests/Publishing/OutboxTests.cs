using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Tests.Publishing;

/// <summary>The messages that wait for the broker.</summary>
public sealed class OutboxTests
{
    [Fact]
    public async Task A_disk_that_takes_nothing_is_told_of_once_and_what_is_in_memory_stays()
    {
        const int Count = 50;
        var log = new KeptLog();
        var told = new TaskCompletionSource<string>();
        var path = new SidePath("publishing", log, told.SetResult);
        var outbox = new Outbox(new Spool(Path.Combine(Path.GetTempPath(), $"{Guid.NewGuid():N}", "none"), 1 << 20), path);
        for (var number = 0; number < Count; number++)
        {
            outbox.Add(new Outgoing(0, new StreamMessage(MessageKind.Frame, number, new byte[100_000])));
        }

        Assert.StartsWith("the messages that wait for the broker cannot be written to disk: ", await told.Task, StringComparison.Ordinal);

        // The outbox tries to write each of the other messages once more.
        await outbox.DisposeAsync();
        Assert.Single(log.Entries);
        Assert.Equal(0, path.Lost);
        for (var number = 0; outbox.TryDequeue(out var taken); number++)
        {
            Assert.Equal(number, taken.Message.Sequence);
        }

        Assert.InRange(outbox.Count, 1, Count - 1);
    }
}
