using System.Globalization;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>The step log's rows for other stores, and a log that is too slow for its game.</summary>
public sealed class LoggedStepTests
{
    [Fact]
    public async Task Subscribers_of_rows_get_them_with_their_observations_times()
    {
        using var match = new TestMatch();
        using var steps = new StringWriter();
        using var probe = new Probe(isHeld: false);
        var rows = new List<LoggedStep>();
        using var log = new StepLog(
            match.Hub, steps, new MatchFigures(), CodecLog.Full, [probe], new SidePath("steps.csv", null, Assert.Fail),
            new SidePath("codec log", null, Assert.Fail), rows.Add);
        await match.PublishAsync(1);
        match.Hub.End(new MatchEnd());
        await log.Ended;
        Assert.Equal(2, rows.Count);
        Assert.Equal(new LoggedStep(new StepRecord { Step = 0 }, null, null), rows[0]);
        Assert.Equal((1001L, 2001L), (rows[1].RequestedNs, rows[1].ObservedNs));

        // A recording has no figures of the standard JSON library.
        var cells = steps.ToString().Split('\n')[2].Split(',');
        Assert.Equal(string.Join(',', [.. cells[..11], .. cells[13..]]), Row(rows[1].Record));
    }

    [Fact]
    public async Task A_log_that_is_dropped_after_the_matchs_end_ends_too()
    {
        using var match = new TestMatch(realtime: true, options: new HubOptions { DefaultQueueBytes = 1 });
        using var steps = new StringWriter();
        using var probe = new Probe(isHeld: true);
        using var log = new StepLog(
            match.Hub, steps, new MatchFigures(), CodecLog.Full, [probe], new SidePath("steps.csv", null, Assert.Fail),
            new SidePath("codec log", null, Assert.Fail));
        for (var step = 0ul; step < 5; step++)
        {
            await match.PublishAsync(step);
        }

        match.Hub.End(new MatchEnd());
        probe.GoOn.Set();
        await log.Ended;
        match.AssertAllReleased();
    }

    // Sorted by the contract's field numbers, like the columns.
    private static string Row(StepRecord record) => string.Join(',', StepRecord.Descriptor.Fields.InFieldNumberOrder()
        .Select(field => field.HasPresence && !field.Accessor.HasValue(record)
            ? ""
            : field.Accessor.GetValue(record) is double us
                ? us.ToString("0.0", CultureInfo.InvariantCulture)
                : $"{field.Accessor.GetValue(record)}"));

    private sealed class Probe(bool isHeld) : IFrameProbe, IDisposable
    {
        public ManualResetEventSlim GoOn { get; } = new(!isHeld);

        public void Read(ObservationFrame frame, ref CodecFigures figures)
        {
        }

        public void Measure(ObservationFrame frame, ref CodecFigures figures)
        {
            GoOn.Wait();
            figures = new CodecFigures { JsonBytes = 1, ZstdAddedBytes = 2, ColumnsBytes = 3, JsonWriteUs = 4, JsonParseUs = 5 };
        }

        public void Dispose() => GoOn.Dispose();
    }
}
