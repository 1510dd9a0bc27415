using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>If something next to a match fails or stalls, the match continues. One line reports it, and the loss is counted.</summary>
public sealed class ContainedFailureTests
{
    private const int Steps = 40;

    private readonly List<string> _told = [];
    private readonly SidePath _rows;
    private readonly SidePath _codecs;

    public ContainedFailureTests()
    {
        _rows = new SidePath("steps.csv", null, _told.Add);
        _codecs = new SidePath("codec log", null, _told.Add);
    }

    [Theory]
    [InlineData(CodecLog.Sampled)]
    [InlineData(CodecLog.Full)]
    public async Task A_codec_that_fails_leaves_its_cells_empty(CodecLog mode)
    {
        using var steps = new StringWriter();
        var figures = await PlayAsync(steps, mode, [new FailingProbe()]);
        var rows = steps.ToString().TrimEnd('\n').Split('\n')[1..];
        Assert.Equal(Enumerable.Range(0, Steps), rows.Select(row => int.Parse(row.Split(',')[0], null)));
        Assert.NotEmpty(rows[1].Split(',')[7]);
        Assert.Equal(Steps, figures.Summarize().Steps);
        Assert.Equal("a codec's defect", Assert.Single(_told));
        Assert.Equal((0, true), (_rows.Lost, _codecs.Lost >= (mode == CodecLog.Full ? Steps : 1)));
    }

    [Fact]
    public async Task A_file_that_fails_in_any_way_loses_rows_only()
    {
        using var steps = new FailingWriter();
        var figures = await PlayAsync(steps, CodecLog.Sampled, []);
        Assert.Equal(Steps, figures.Summarize().Steps);
        Assert.Contains("steps.csv could not be written (a file's defect)", Assert.Single(_told), StringComparison.Ordinal);

        // The line with the columns' names counts too.
        Assert.Equal(Steps + 1, _rows.Lost);
    }

    [Fact]
    public async Task A_failing_store_of_rows_does_not_end_the_log()
    {
        using var steps = new StringWriter();
        await PlayAsync(steps, CodecLog.Off, [], _ => throw new InvalidTimeZoneException("a keeper's defect"));
        Assert.Equal(Steps + 1, steps.ToString().Count(letter => letter == '\n'));
        Assert.Equal("a keeper's defect", Assert.Single(_told));
        Assert.Equal(Steps, _rows.Lost);
    }

    [Fact]
    public async Task Steps_that_a_recording_claims_and_does_not_have_do_not_fill_the_disk()
    {
        using var match = new TestMatch();
        using var steps = new StringWriter();
        using var log = new StepLog(match.Hub, steps, new MatchFigures(), CodecLog.Sampled, [], _rows, _codecs);
        await match.PublishAsync(0);
        await match.PublishAsync(4_000_000_000);
        match.Hub.End(new MatchEnd());
        await log.Ended;
        Assert.Equal(1 + 1 + 65_536 + 1, steps.ToString().Count(letter => letter == '\n'));
        Assert.Contains("has no rows of steps 65537 to 3999999999", Assert.Single(_told), StringComparison.Ordinal);
        Assert.True(_rows.Lost > 1_000_000_000);
    }

    [Fact]
    public async Task An_agent_that_reports_its_times_does_not_wait_for_the_logs_disk()
    {
        using var match = new TestMatch();
        using var disk = new HeldWriter();
        var path = new SidePath("agents.csv", null, _told.Add);
        using (new AgentLog(match.Hub, disk, new MatchFigures(), path))
        {
            disk.IsHeld = true;
            using var agent = match.Subscribe(Policy.Lockstep);
            for (var step = 0ul; step < 10_000; step++)
            {
                var published = match.PublishAsync(step);
                agent.ReadFrame();
                agent.Acknowledge(new Acknowledgement { Step = step, Times = { new StepTimes { Step = step } } });
                await published;
            }

            Assert.True(await match.Hub.Events.FlushAsync());
            disk.LetGo();
        }

        var written = disk.ToString().Count(letter => letter == '\n');
        Assert.InRange(written, 8192, 8194);
        Assert.Equal(10_000 + 1 - written, path.Lost);
        Assert.Contains("the disk is too slow", Assert.Single(_told), StringComparison.Ordinal);
    }

    private async Task<MatchFigures> PlayAsync(
        TextWriter steps, CodecLog mode, IReadOnlyList<IFrameProbe> own, Action<LoggedStep>? logged = null)
    {
        using var match = new TestMatch();
        var figures = new MatchFigures();
        using var log = new StepLog(match.Hub, steps, figures, mode, own, _rows, _codecs, logged);
        for (var step = 0ul; step < Steps; step++)
        {
            await match.PublishAsync(step, Observations.Make(new Random((int)step)));
        }

        match.Hub.End(new MatchEnd());
        await log.Ended;

        // The sampler's low-priority thread may still hold the frame that it measures, and the previous one.
        SpinWait.SpinUntil(() => match.Frames.TrueForAll(frame => !frame.IsReferenced), TimeSpan.FromSeconds(30));
        match.AssertAllReleased();
        return figures;
    }

    private sealed class FailingProbe : IFrameProbe
    {
        public void Read(ObservationFrame frame, ref CodecFigures figures)
        {
        }

        public void Measure(ObservationFrame frame, ref CodecFigures figures) =>
            throw new InvalidTimeZoneException("a codec's defect");
    }

    private sealed class FailingWriter : StringWriter
    {
        public override void Write(string? value) => throw new InvalidTimeZoneException("a file's defect");
    }
}
