
namespace Sc2Bridge.Functional.Tests;

/// <summary>Python agents that fail, and the effect on the match.</summary>
public sealed class AgentFailureTests : MatchFolderTests
{
    [Theory]
    [InlineData("every")]
    [InlineData("lockstep", Traits = ["Suite", "Long"])]
    public async Task An_agent_that_throws_is_named_and_the_others_receive_everything(string policy)
    {
        var ended = await Folder.PlayAsync(
            "--steps", "50", "--policy", policy,
            "--agent", "thrower:Thrower", "--agent", "sc2bridge.agents:Watcher@json");
        ended.Says(1, "sc2bridge: agent thrower-1-shm failed: its traceback is at the end of the output");
        Assert.Contains(
            "[thrower-1-shm] sc2bridge: thrower:Thrower failed in on_step at step 3: RuntimeError: not today",
            ended.Told,
            StringComparison.Ordinal);
        Assert.Contains("50 frames, loops 0-49", ended.Told, StringComparison.Ordinal);
        Folder.Steps().Complete(50);
    }

    [Theory]
    [InlineData("every")]
    [InlineData("lockstep", Traits = ["Suite", "Long"])]
    public async Task An_agent_that_ends_without_an_error_in_the_middle_is_reported_too(string policy)
    {
        var ended = await Folder.PlayAsync(
            "--steps", "50", "--policy", policy,
            "--agent", "leaver:Leaver", "--agent", "sc2bridge.agents:Watcher@json");
        ended.Says(1, "sc2bridge: agent leaver-1-shm left before the match had ended: see its lines above");
        Assert.Contains("50 frames, loops 0-49", ended.Told, StringComparison.Ordinal);
        Folder.Steps().Complete(50);
    }

    [Theory]
    [InlineData("ThrowingPlayer", "on_step at step 3")]
    [InlineData("ThrowingStarter", "on_start")]
    public async Task A_match_ends_at_once_when_its_only_player_raises_and_the_traceback_is_printed_last(string agent, string where)
    {
        var ended = await Folder.PlayAsync(
            "--player", "agent:terran", "--player", "computer:zerg:Easy", "--rate", "100", "--steps", "2000",
            "--agent", $"thrower:{agent}", "--agent", "sc2bridge.agents:Watcher@json");
        Assert.Contains("ended (no agent plays any more) at game loop", ended.Output, StringComparison.Ordinal);
        var name = $"{agent.ToLowerInvariant()}-1-shm";
        ended.Says(1, $"sc2bridge: agent {name} failed: its traceback is at the end of the output");
        var lines = ended.Told.TrimEnd().Split('\n');
        Assert.Equal($"[{name}] sc2bridge: thrower:{agent} failed in {where}: RuntimeError: not today", lines[^1]);
        var error = Array.IndexOf(lines, ended.Error[0]);
        Assert.Equal($"[{name}] Traceback (most recent call last):", lines[error + 1]);
        Assert.Contains("frames, loops 0-", ended.Told, StringComparison.Ordinal);
        Folder.Steps().Complete(1);
        using var recording = Recordings.RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        Assert.Null(recording.Problem);
        Assert.Equal((V1.EndReason.NoAgent, false), (recording.ReadEnd()?.Reason, recording.ReadEnd()?.Aborted));
    }

    [Theory]
    [InlineData("thrower:ExitingPlayer@grpc", Traits = ["Suite", "Long"])]
    [InlineData("thrower:ExitingPlayer@shm")]
    [InlineData("thrower:ThrowingPlayer@grpc", Traits = ["Suite", "Long"])]
    public async Task With_forfeit_a_player_that_fails_loses(string agent)
    {
        var ended = await Folder.PlayAsync(
            "--player", "agent:terran", "--player", "computer:zerg:Easy", "--rate", "100", "--steps", "2000", "--forfeit",
            "--agent", agent);
        Assert.Contains("ended (forfeited by player 1: no agent plays it any more)", ended.Output, StringComparison.Ordinal);
        using var recording = Recordings.RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        Assert.Equal(2, recording.ReadEnd()?.Results.Count);
    }

    [Theory]
    [InlineData("thrower:Thrower", "computer:zerg:Easy", "thrower:Idler")]
    [InlineData("thrower:ThrowingPlayer", "computer:zerg:Easy", "thrower:Idler", Traits = ["Suite", "Long"])]
    [InlineData("1=thrower:ThrowingPlayer", "agent:zerg", "2=thrower:Idler")]
    public async Task A_match_continues_if_another_agent_plays_it(string thrower, string opponent, string other)
    {
        var ended = await Folder.PlayAsync(
            "--player", "agent:terran", "--player", opponent, "--rate", "100", "--steps", "300", "--agent", thrower,
            "--agent", other);
        Assert.Contains("its traceback is at the end of the output", Assert.Single(ended.Error), StringComparison.Ordinal);
        Assert.Contains("ended (step limit)", ended.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("thrower:ExitingPlayer", "step limit")]
    [InlineData("sc2bridge.agents:Watcher", "no agent plays any more")]
    public async Task A_match_without_players_continues_if_an_awaited_agent_may_come_back(string awaited, string end)
    {
        using var match = Folder.Match(
            "--player", "agent:terran", "--player", "computer:zerg:Easy", "--rate", "100", "--steps", "300", "--wait", "1",
            "--agent", "thrower:ThrowingPlayer@grpc");
        var grpc = Address(await match.LineAsync("gRPC on"));
        using var agent = BridgeProcess.Start(
            [MatchFolder.Python, "-m", "sc2bridge", "run", awaited, "--bridge", $"grpc://{grpc}"]);
        var ended = await match.EndAsync();
        Assert.Contains($"ended ({end})", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_agent_that_ends_after_each_match_of_a_series_has_not_left()
    {
        var ended = await Folder.PlayAsync(
            "--games", "2", "--steps", "5", "--agent", "leaver:Guest@grpc", "--agent", "leaver:Guest@json");
        ended.Well();
        Assert.Equal(4, ended.Told.Split('\n').Count(line => line.EndsWith("thanks, and goodbye")));
    }

    [Fact]
    public async Task An_agent_that_cannot_be_loaded_ends_the_match_before_it_begins()
    {
        var ended = await Folder.PlayAsync("--agent", "thrower:Nobody");
        ended.Says(1, "agent nobody-1-shm ended with exit code 2 before the match began: see its lines above");
        Assert.Contains(
            "thrower has no class Nobody that derives from sc2bridge.Agent", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_agent_that_never_answers_in_lockstep_is_named_and_the_match_continues()
    {
        using var match = Folder.Match("--steps", "50", "--wait", "1", "--lockstep-deadline", "1");
        var grpc = Address(await match.LineAsync("gRPC on"));
        using var agent = BridgeProcess.Start(
            [
                MatchFolder.Python, "-m", "sc2bridge", "run", "silent:Silent",
                "--policy", "lockstep", "--bridge", $"grpc://{grpc}",
            ]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Single(ended.Told.Split('\n'), line => line.Contains(
            "agent 'Silent' did not answer step 3 within 1 s: the match continues", StringComparison.Ordinal));
        Folder.Steps().Complete(50);
    }

    [Fact]
    public async Task A_slow_agent_that_the_user_started_receives_the_whole_match_after_its_end()
    {
        using var match = Folder.Match("--steps", "300", "--wait", "1");
        var grpc = Address(await match.LineAsync("gRPC on"));
        using var agent = BridgeProcess.Start(
            [MatchFolder.Python, "-m", "sc2bridge", "run", "slow:Slow", "--policy", "every", "--bridge", $"grpc://{grpc}"]);
        (await match.EndAsync()).Well();
        var heard = await agent.EndAsync();
        heard.Well();
        Assert.Contains("slow heard 300 until step limit", heard.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_bridge_waits_for_a_late_agent_that_makes_progress()
    {
        // The agent needs longer in total than the bridge waits for an agent without progress.
        using var match = Folder.Match(["--steps", "40", "--agent", "heavy:Heavy"], [("THINKS", "0.6")]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains("[heavy-1-shm] heavy heard all until step limit", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_agent_without_progress_after_the_end_is_killed()
    {
        using var match = Folder.Match(
            ["--steps", "40", "--agent", "heavy:Heavy"], [("THINKS", "0.1"), ("STUCK_AT", "29")]);
        var ended = await match.EndAsync();
        ended.Says(1, "agent heavy-1-shm failed: its traceback is at the end of the output");
        Assert.Contains("Stack of a step that takes", ended.Told, StringComparison.Ordinal);
        Assert.Contains(
            "agent heavy-1-shm made no progress within 20 s after the match: killed; it had processed step 28, but not "
            + "the 11 newer steps", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_process_that_an_agent_leaves_behind_is_ended()
    {
        using var match = Folder.Match("--steps", "5", "--agent", "forker:Forker");

        // It waits until all processes have ended.
        (await match.EndAsync()).Well();
    }

    private static string Address(string line) => line.Split("gRPC on ")[1].Split(',')[0];
}
