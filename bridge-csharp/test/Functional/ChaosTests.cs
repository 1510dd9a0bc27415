namespace Sc2Bridge.Functional.Tests;

/// <summary>Programs that are stopped and continued, and a machine with few resources.</summary>
public sealed class ChaosTests : MatchFolderTests
{
    private static readonly string[] _watched = ["--rate", "100", "--steps", "1000000", "--agent", "sc2bridge.agents:Watcher"];

    [Theory]
    [Trait("Suite", "Slow")]
    [InlineData(3)]
    public async Task A_stopped_bridge_continues_without_data_loss(int seconds)
    {
        await StopBridgeAsync(seconds);
        Folder.AgentsHeard("watcher-1-shm");
    }

    // Longer than an agent waits for a silent bridge (30 s), and shorter than it tries to connect again (30 s more).
    [Theory]
    [Trait("Suite", "Long")]
    [InlineData(45)]
    public async Task A_bridge_that_was_stopped_for_long_continues_and_its_agent_reconnects(int seconds)
    {
        var stopped = await StopBridgeAsync(seconds);
        var heard = Folder.Agents().Rows.Select(row => int.Parse(row["step"])).ToList();
        Assert.InRange(heard.Last(), stopped, int.MaxValue);
        Assert.Single(heard.Zip(heard.Skip(1)), pair => pair.Second != pair.First + 1);
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_stopped_agent_delays_no_other_and_continues_with_the_newest_frame()
    {
        using var match = Folder.Match([.. _watched, "--policy", "latest"]);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 50);
        var agent = match.With(" run sc2bridge.agents:Watcher").Single();
        BridgeProcess.Signal(agent, BridgeProcess.Stop);
        var stopped = Folder.StepsSoFar();
        await match.UntilAsync(() => Folder.StepsSoFar() >= stopped + 400);
        BridgeProcess.Signal(agent, BridgeProcess.Continue);
        var rows = Path.Combine(Folder.Out, "agents.csv.partial");
        var before = new FileInfo(rows).Length;
        await match.UntilAsync(() => new FileInfo(rows) is { Length: var now } && now > before + 1000);
        match.Signal(BridgeProcess.Interrupt);
        var ended = await match.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);
        var heard = Folder.Agents().Rows.Select(row => int.Parse(row["step"])).ToList();
        Assert.InRange(heard.Zip(heard.Skip(1), (one, next) => next - one).Max(), 100, int.MaxValue);
        IsRecorded(Folder.Steps().Rows.Count);
    }

    [Theory]
    [InlineData("match", "--game", "simulated", "--no-agents", "--steps", "1")]
    [InlineData("simulate", "-port", "0")]
    public async Task A_process_that_may_open_few_files_reports_it_in_one_line(params string[] words)
    {
        using var bridge = BridgeProcess.Start(
            ["/bin/sh", "-c", "cd \"$0\" && ulimit -n 64 && exec \"$@\"", Folder.Path, .. BridgeProcess.Program, .. words]);
        (await bridge.EndAsync()).Says(1, "This process may open 64 files only", "ulimit -n 4096");
    }

    // The steps before the stop.
    private async Task<int> StopBridgeAsync(int seconds)
    {
        using var match = Folder.Match(_watched);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 50);
        match.Signal(BridgeProcess.Stop);

        // This waits for time to pass. No event is expected.
        await Task.Delay(TimeSpan.FromSeconds(seconds), Ct);
        var steps = Folder.StepsSoFar();
        match.Signal(BridgeProcess.Continue);
        await match.UntilAsync(() => Folder.StepsSoFar() >= steps + 100);
        match.Signal(BridgeProcess.Interrupt);
        var ended = await match.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);
        IsRecorded(Folder.Steps().Rows.Count);
        return steps;
    }

    private void IsRecorded(int steps)
    {
        using var recording = Recordings.RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        Assert.Null(recording.Problem);
        Assert.Empty(recording.ReadGaps());
        Assert.Equal(steps, recording.Count(recording.Perspectives.Single()));
    }
}
