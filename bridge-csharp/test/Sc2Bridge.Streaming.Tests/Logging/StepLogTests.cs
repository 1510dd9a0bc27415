using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming.Tests;

public sealed class StepLogTests
{
    private const string StepColumns =
        "step,game_loop,game_us,proto_bytes,json_bytes,zstd_bytes,columns_bytes,proto_parse_us,proto_serialize_us,"
        + "json_write_us,json_parse_us,json_formatter_us,json_parser_us,subscribers,dropped,perspective";

    private readonly List<string> _problems = [];

    [Fact]
    public async Task Every_step_has_a_row_with_our_codecs_and_stock_json_in_full()
    {
        var (rows, figures) = await Run(CodecLog.Full, 33);
        Assert.Equal(33, rows.Count);
        for (var step = 0; step < 33; step++)
        {
            var cells = rows[step];
            Assert.Equal([$"{step}", $"{step}", "1.0"], cells[..3]);
            Assert.All(cells[7..9], Assert.NotEmpty);
            Assert.Equal([$"{step + 100}", "", "7", "0.5", ""], [cells[4], cells[5], cells[6], cells[9], cells[10]]);
            Assert.All(cells[11..13], Assert.NotEmpty);
            Assert.Equal(["1", step == 0 ? "0" : "1", "0"], cells[13..]);
        }

        var summary = figures.Summarize();
        Assert.Equal(33, summary.Steps);
        Assert.Equal(
            [("grpc", 33L), ("ws.proto", 33L), ("ws.json", 33L)],
            summary.Transports.Select(transport => (transport.Transport, transport.Measured)));
        Assert.Equal(5, summary.Transports[0].MaxBytes - summary.Transports[1].MaxBytes);
        Assert.Equal(summary.Transports[0].MeanBytes * 8 * 22.4 / 1e6, summary.Transports[0].MbitAt22, 9);
        Assert.Equal(
            ["protobuf write", "JSON write", "stock JSON write", "protobuf read", "stock JSON read"],
            summary.Codecs.Select(codec => codec.Codec));
        Assert.Empty(_problems);
    }

    [Fact]
    public async Task A_subscriber_that_takes_its_last_frames_slowly_prolongs_the_log_by_two_seconds_in_total()
    {
        const int steps = 40;
        var time = new ManualTime();
        using var match = new TestMatch(options: new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan, TimeProvider = time });
        using var written = new StringWriter();
        var rows = 0;
        using var log = new StepLog(
            match.Hub, written, new MatchFigures(), CodecLog.Sampled, [], Path("steps.csv"), Path("codec log"),
            _ => Interlocked.Increment(ref rows));
        using var slow = match.Subscribe(Policy.Every, Overflow.End);
        for (var step = 0ul; step < steps; step++)
        {
            await match.PublishAsync(step);
        }

        match.Hub.End(new MatchEnd());
        var taken = 0;
        while (!log.Ended.IsCompleted)
        {
            time.Advance(TimeSpan.FromSeconds(1.5));
            slow.ReadFrame();
            taken++;
            await HoldsAsync(() => Volatile.Read(ref rows) >= taken);

            // The log has written all that is ready, and reads the clock before it waits again.
            var reads = time.Reads;
            await HoldsAsync(() => time.Reads > reads || log.Ended.IsCompleted);
        }

        Assert.InRange(taken, 1, steps / 4);
        Assert.Equal(steps, Rows(written).Count);
    }

    [Fact]
    public async Task What_subscribers_had_made_is_in_every_row_and_the_rest_where_the_budget_allowed_it()
    {
        // The clock does not move, so the log waits for the frames that the subscriber has not read.
        using var match = new TestMatch(options: new HubOptions { TimeProvider = new ManualTime() });
        using var steps = new StringWriter();
        using var log = new StepLog(
            match.Hub, steps, new MatchFigures(), CodecLog.Sampled, [new Probe()], Path("steps.csv"), Path("codec log"));
        using var slow = match.Subscribe(Policy.Every);
        for (var step = 0ul; step < 33; step++)
        {
            await match.PublishAsync(step, Observations.Make(new Random((int)step)));
        }

        // Long after the log received the frames.
        match.Hub.End(new MatchEnd());
        for (var step = 0; step < 33; step++)
        {
            var delivery = await slow.Read();
            delivery.Frame!.Encoded(new FakeColumns());
            delivery.Release();
        }

        await log.Ended;
        var rows = Rows(steps);
        Assert.Equal(Enumerable.Range(0, 33).Select(step => $"{step}"), rows.Select(cells => cells[0]));
        Assert.All(rows, cells => Assert.Equal("3", cells[6]));

        // The first frame is the codecs' warm-up.
        Assert.Equal(("", "101"), (rows[0][4], rows[1][4]));
        Assert.All(rows, cells => Assert.Equal(cells[4].Length == 0, cells[7].Length == 0));
        Assert.All(rows, cells => Assert.Equal(["", ""], cells[11..13]));
        Assert.Empty(_problems);
        slow.Dispose();
        match.AssertAllReleased();
    }

    [Fact]
    public async Task A_match_does_not_wait_for_what_is_sampled()
    {
        using var match = new TestMatch(options: new HubOptions { DefaultQueueBytes = 1 });
        using var steps = new StringWriter();
        using var probe = new HeldProbe();
        using var log = new StepLog(
            match.Hub, steps, new MatchFigures(), CodecLog.Sampled, [probe], Path("steps.csv"), Path("codec log"));
        for (var step = 0ul; step < 500; step++)
        {
            await match.PublishAsync(step);
        }

        Assert.True(probe.Began.Wait(TimeSpan.FromMinutes(1), Ct));
        match.Hub.End(new MatchEnd());
        log.Finish();
        await log.Ended;
        Assert.Equal(500, Rows(steps).Count);
        probe.GoOn.Set();
    }

    [Fact]
    public async Task Nothing_is_measured_if_measuring_is_off()
    {
        var (rows, _) = await Run(CodecLog.Off, 20);
        Assert.Equal(20, rows.Count);
        Assert.All(rows, cells => Assert.Equal(9, cells[4..13].Count(cell => cell.Length == 0)));
    }

    [Fact]
    public async Task Bytes_that_are_no_observation_have_a_row_without_times()
    {
        using var match = new TestMatch();
        using var steps = new StringWriter();
        using var log = new StepLog(match.Hub, steps, new MatchFigures(), CodecLog.Full, [], Path("steps.csv"), Path("codec log"));
        var frame = ObservationFrame.Copy([0x1A, 0xFF], new FrameHeader(TestMatch.Name, 0, 0, 7, 0, 0));
        await match.Hub.Publisher.PublishAsync(frame, Ct);
        match.Hub.End(new MatchEnd());
        await log.Ended;
        Assert.Contains("\n0,7,0.0,2,,,,,,,,,,0,0,0\n", steps.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_step_that_the_log_never_got_has_a_row_of_empty_cells()
    {
        using var match = new TestMatch(realtime: true);
        using var steps = new StringWriter();
        using var log = new StepLog(match.Hub, steps, new MatchFigures(), CodecLog.Off, [], Path("steps.csv"), Path("codec log"));
        await match.PublishAsync(0);
        await match.PublishAsync(3);
        match.Hub.End(new MatchEnd());
        await log.Ended;
        Assert.Equal(["0", "1", "2", "3"], Rows(steps).Select(cells => cells[0]));
        Assert.Equal("1,,,,,,,,,,,,,,,0", string.Join(',', Rows(steps)[1]));
    }

    [Fact]
    public async Task A_recording_that_claims_billions_of_missing_steps_does_not_fill_the_disk()
    {
        using var match = new TestMatch();
        using var disk = new FullDisk(roomForLines: int.MaxValue);
        using var log = new StepLog(match.Hub, disk, new MatchFigures(), CodecLog.Off, [], Path("steps.csv"), Path("codec log"));
        await match.PublishAsync(0);
        await match.PublishAsync(3_000_000);
        await match.PublishAsync(6_000_000);
        match.Hub.End(new MatchEnd());
        await log.Ended;
        Assert.InRange(disk.Lines, 65_536, 65_600);
    }

    [Fact]
    public async Task A_full_disk_is_reported_once_and_the_match_goes_on()
    {
        using var match = new TestMatch();
        using var disk = new FullDisk(roomForLines: 3);
        var figures = new MatchFigures();
        using var log = new StepLog(match.Hub, disk, figures, CodecLog.Off, [], Path("steps.csv"), Path("codec log"));
        for (var step = 0ul; step < 10; step++)
        {
            await match.PublishAsync(step);
        }

        match.Hub.End(new MatchEnd());
        await log.Ended;
        Assert.Contains(
            "steps.csv could not be written (no space left)", Assert.Single(_problems), StringComparison.Ordinal);
        Assert.Equal(10, figures.Summarize().Steps);
        Assert.Equal(3, disk.Lines);
    }

    [Fact]
    public async Task Agents_have_rows_of_what_they_measured()
    {
        using var match = new TestMatch();
        using var agents = new StringWriter();
        var figures = new MatchFigures();
        using var log = new AgentLog(match.Hub, agents, figures, Path("agents.csv"));
        using var agent = match.Hub.Subscribe(new() { Agent = "a,\"b\"" }, new SubscriberInfo("grpc", false));
        await match.PublishAsync(0);
        await match.PublishAsync(1);
        agent.ReadFrame();
        agent.ReadFrame();
        var shared = ClockSource.Shared;
        agent.Acknowledge(new Acknowledgement
        {
            Times =
            {
                new StepTimes { Step = 0, ReceivedNs = 5000, DecodeNs = 2500, ThinkNs = 0, Clock = shared },
                new StepTimes { Step = 1, ReceivedNs = 5000 },
            },
        });
        log.Dispose();
        Assert.Equal(
            "step,agent,transport,delivered_us,decode_us,think_us,actions\n0,\"a,\"\"b\"\"\",grpc,3.0,2.5,0.0,\n"
            + "1,\"a,\"\"b\"\"\",grpc,,,,\n",
            agents.ToString());
        var summary = Assert.Single(figures.Summarize().Agents);
        Assert.Equal((3.0, 3.0, 2.5), (summary.DeliveryP50Us, summary.DeliveryP99Us, summary.Read?.MeanUs));
    }

    [Theory]
    [InlineData("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0")]
    [InlineData("@a,b", "\"'@a,b\"")]
    [InlineData("-a", "'-a")]
    [InlineData("+a", "'+a")]
    public async Task A_name_is_no_formula(string name, string cell)
    {
        using var match = new TestMatch();
        using var agents = new StringWriter();
        using var log = new AgentLog(match.Hub, agents, new MatchFigures(), Path("agents.csv"));
        using var agent = match.Hub.Subscribe(new() { Agent = name }, new SubscriberInfo("grpc", false));
        await match.PublishAsync(0);
        agent.ReadFrame();
        agent.Acknowledge(new Acknowledgement { Times = { new StepTimes { Step = 0 } } });
        log.Dispose();
        Assert.Equal($"0,{cell},grpc,", agents.ToString().Split('\n')[1][..($"0,{cell},grpc,".Length)]);
    }

    [Fact]
    public async Task What_an_agent_cannot_have_measured_stays_out_of_the_log()
    {
        using var match = new TestMatch();
        using var agents = new StringWriter();
        var figures = new MatchFigures();
        using var log = new AgentLog(match.Hub, agents, figures, Path("agents.csv"));
        using var agent = match.Subscribe(Policy.Every);
        for (var step = 0ul; step < 6; step++)
        {
            await match.PublishAsync(step);
            agent.ReadFrame();
        }

        var (shared, estimated) = (ClockSource.Shared, ClockSource.Estimated);
        agent.Acknowledge(new Acknowledgement
        {
            Times =
            {
                new StepTimes { Step = 6, ReceivedNs = 9000, Clock = shared },
                new StepTimes { Step = ulong.MaxValue, ReceivedNs = 9000, Clock = shared },
                new StepTimes { Step = 0, ReceivedNs = 1999, DecodeNs = -1, ThinkNs = long.MinValue, Clock = shared },
                new StepTimes { Step = 1, ReceivedNs = long.MaxValue, DecodeNs = long.MaxValue, Clock = shared },
                new StepTimes { Step = 2, ReceivedNs = long.MinValue, ThinkNs = long.MaxValue, Clock = estimated },
                new StepTimes { Step = 3, ReceivedNs = 2000, DecodeNs = 7000, Clock = estimated },
                new StepTimes { Step = 4, ReceivedNs = 9000, Clock = (ClockSource)7 },
                new StepTimes { Step = 5, ReceivedNs = 2005, Clock = shared },
                new StepTimes { Step = 5, ReceivedNs = 2005, Clock = shared },
            },
        });
        log.Dispose();
        Assert.Equal(
            ["0,agent,test,,,,", "1,agent,test,,,,", "2,agent,test,,,,", "3,agent,test,0.0,7.0,,", "4,agent,test,,,,",
                "5,agent,test,0.0,,,"],
            agents.ToString().TrimEnd('\n').Replace("-0.0", "0.0", StringComparison.Ordinal).Split('\n').Skip(1));
        Assert.Equal(0, Assert.Single(figures.Summarize().Agents).DeliveryP99Us);
        var errors = Enumerable.Range(0, 3).Select(_ => agent.ReadEvent(isLast: false).Error).ToList();
        Assert.Equal([6ul, ulong.MaxValue, 5ul], errors.Select(error => error.Step));
        Assert.All(errors, error => Assert.Equal((3u, false), (error.Code, error.Fatal)));
    }

    [Fact]
    public void A_trimmed_mean_drops_an_eighth_at_each_end_and_memory_is_bounded()
    {
        var samples = new Samples();
        Assert.True(double.IsNaN(samples.TrimmedMean()));
        foreach (var value in new double[] { 1000, 2, 3, 4, 5, 6, 7, -1000 })
        {
            samples.Add(value);
        }

        Assert.Equal(4.5, samples.TrimmedMean());
        Assert.Equal((-1000, 1000, 8L), (samples.Min, samples.Max, samples.Count));
        Assert.Equal((4, 1000), (samples.Percentile(50), samples.Percentile(99)));

        var many = new Samples();
        for (var i = 0; i < 500_000; i++)
        {
            many.Add(i);
        }

        Assert.Equal((0, 499_999, 500_000L), (many.Min, many.Max, many.Count));
        Assert.Equal(249_999.5, many.Mean);
        Assert.InRange(many.Percentile(50), 240_000, 260_000);
    }

    private static List<string[]> Rows(StringWriter steps)
    {
        var lines = steps.ToString().TrimEnd('\n').Split('\n');
        Assert.Equal(StepColumns, lines[0]);
        return [.. lines.Skip(1).Select(line => line.Split(','))];
    }

    private SidePath Path(string name) => new(name, null, _problems.Add);

    private async Task<(List<string[]> Rows, MatchFigures Figures)> Run(CodecLog mode, int count)
    {
        using var match = new TestMatch();
        using var steps = new StringWriter();
        var figures = new MatchFigures();
        using var log = new StepLog(match.Hub, steps, figures, mode, [new Probe()], Path("steps.csv"), Path("codec log"));
        using var skips = match.Subscribe(Policy.Latest);
        for (var step = 0ul; step < (ulong)count; step++)
        {
            await match.PublishAsync(step, Observations.Make(new Random((int)step)));
        }

        match.Hub.End(new MatchEnd());
        skips.Dispose();
        await log.Ended;
        match.AssertAllReleased();
        return (Rows(steps), figures);
    }

    private sealed class Probe : IFrameProbe
    {
        public void Read(ObservationFrame frame, ref CodecFigures figures) =>
            figures.ColumnsBytes = frame.FigureOf(EncodingKind.Columns)?.Bytes;

        public void Measure(ObservationFrame frame, ref CodecFigures figures)
        {
            figures.JsonBytes = (int)frame.Header.Step + 100;
            figures.JsonEventBytes = figures.JsonBytes + 50;
            figures.ColumnsBytes ??= 7;
            figures.JsonWriteUs = 0.5;
        }
    }

    private sealed class HeldProbe : IFrameProbe, IDisposable
    {
        public ManualResetEventSlim Began { get; } = new();

        public ManualResetEventSlim GoOn { get; } = new();

        public void Read(ObservationFrame frame, ref CodecFigures figures)
        {
        }

        public void Measure(ObservationFrame frame, ref CodecFigures figures)
        {
            Began.Set();
            GoOn.Wait();
        }

        // Its thread may still be ending.
        public void Dispose() => GoOn.Set();
    }

    private sealed record FakeColumns : IFrameEncoding<MessageBuffer>
    {
        public EncodingKind Kind => EncodingKind.Columns;

        public MessageBuffer Encode(ObservationFrame frame)
        {
            var buffer = MessageBuffer.Rent();
            buffer.Advance(3);
            return buffer;
        }
    }

    private sealed class FullDisk(int roomForLines) : StringWriter
    {
        public int Lines { get; private set; }

        public override void Flush() =>
            Lines = Lines < roomForLines ? Lines + 1 : throw new IOException("no space left");
    }
}
