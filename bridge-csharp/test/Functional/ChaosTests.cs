namespace Sc2Bridge.Functional.Tests;

/// <summary>Programs that the system stops and lets go on, and a machine that gives a program little.</summary>
public sealed class ChaosTests : MatchFolderTests
{
    private static readonly string[] _watched = ["--rate", "100", "--steps", "1000000", "--agent", "sc2bridge.agents:Watcher"];

    [Theory]
    [Trait("Suite", "Slow")]
    [InlineData(3)]
    public async Task A_bridge_that_was_stopped_goes_on_and_nothing_is_missing(int seconds)
    {
        await StopBridgeAsync(seconds);
        Folder.AgentsHeard("watcher-1-shm");
    }

    // Longer than an agent waits for a silent bridge (30 s), and shorter than it tries to connect again (30 s more).
    [Theory]
    [Trait("Suite", "Long")]
    [InlineData(45)]
    public async Task A_bridge_that_was_stopped_for_long_goes_on_and_its_agent_comes_back(int seconds)
    {
        var stopped = await StopBridgeAsync(seconds);
        var heard = Folder.Agents().Rows.Select(row => int.Parse(row["step"])).ToList();
        Assert.InRange(heard.Last(), stopped, int.MaxValue);
        Assert.Single(heard.Zip(heard.Skip(1)), pair => pair.Second != pair.First + 1);
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task An_agent_that_was_stopped_holds_nobody_and_goes_on_with_the_newest()
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
    public async Task A_process_that_may_open_few_files_says_so_in_a_line(params string[] words)
    {
        using var bridge = BridgeProcess.Start(
            ["/bin/sh", "-c", "cd \"$0\" && ulimit -n 64 && exec \"$@\"", Folder.Path, .. BridgeProcess.Program, .. words]);
        (await bridge.EndAsync()).Says(1, "This process may open 64 files only", "ulimit -n 4096");
    }

    // The steps until it was stopped.
    private async Task<int> StopBridgeAsync(int seconds)
    {
        using var match = Folder.Match(_watched);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 50);
        match.Signal(BridgeProcess.Stop);

        // What is tested is the time; nothing is expected to happen in it.
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
