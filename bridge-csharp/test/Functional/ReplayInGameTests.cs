using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// Replays (.SC2Replay), which a game plays: the simulated one, or the right one of a made-up installation.
/// </summary>
public sealed class ReplayInGameTests : MatchFolderTests
{
    private const string DataVersion = "B89B5D6FA7CBF6452E721311BFBC6CB2";

    private readonly MadeUpInstallation _installation;

    public ReplayInGameTests() => _installation = new MadeUpInstallation(Path.Combine(Folder.Path, "StarCraftII"));

    [Fact]
    public async Task It_is_received_as_a_match_logged_and_recorded()
    {
        using var replay = Folder.Replay(
            Write(SimulatedReplay.Make(80)),
            ["--observe", "2", "--step-size", "20", "--agent", "sc2bridge.agents:Watcher@grpc+group-zstd"]);
        var ended = await replay.EndAsync();
        ended.Well();
        Assert.Contains("Game: simulated", ended.Told, StringComparison.Ordinal);
        Assert.Contains("5 frames, loops 0-80", ended.Told, StringComparison.Ordinal);
        Assert.Contains(
            "ended (finished) at game loop 80 after 5 observations", ended.Output, StringComparison.Ordinal);
        Folder.Steps("replay").Complete(5);
        using var recording = RecordingReader.Open(Path.Combine(Folder.Path, "replay", "match.mcap"));
        Assert.Equal(("Match.SC2Replay", 20u), (recording.Description.Replay, recording.Description.StepSize));
        Assert.Equal([2u], recording.Perspectives);
        Assert.Equal(5, recording.Count(2));
        Assert.Empty(recording.ReadGaps());
    }

    [Fact]
    public async Task A_part_of_it_at_a_rate_and_none_recorded()
    {
        using var replay = Folder.Replay(
            Write(SimulatedReplay.Make(80)),
            [
                "--from", "20", "--to", "30", "--rate", "200", "--no-recording",
                "--agent", "sc2bridge.agents:Watcher@json",
            ]);
        var ended = await replay.EndAsync();
        ended.Well();
        Assert.Contains("11 frames, loops 20-30", ended.Told, StringComparison.Ordinal);
        Assert.Contains("ended (range end) at game loop 30", ended.Output, StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(Folder.Path, "replay", "match.mcap")));
    }

    [Fact]
    public async Task In_real_time_the_games_clock_runs_it()
    {
        using var replay = Folder.Replay(
            Write(SimulatedReplay.Make(30)), ["--rate", "realtime", "--agent", "sc2bridge.agents:Watcher@grpc"]);
        var ended = await replay.EndAsync();
        ended.Well();
        Assert.Contains("ended (finished) at game loop 30", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Keys_pause_it_and_jump_forward_but_not_back_and_a_jump_leaves_a_gap()
    {
        var folder = Path.Combine(Folder.Path, "replay");
        using var replay = BridgeProcess.Start(
            [
                .. BridgeProcess.Terminal(), .. BridgeProcess.Program, "replay", Write(SimulatedReplay.Make(80)), "--paused",
                "--no-agents", "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--out", folder,
            ],
            ("TERM", "xterm"));
        await replay.LineAsync("held at game loop 0 of 0-80, max");
        replay.Type("\e[C\e[C");
        await replay.LineAsync("held at game loop 2 of 0-80, max");
        replay.Type("\e[D");
        await replay.LineAsync("record it first");
        replay.Type("g50\r");
        await replay.LineAsync("held at game loop 50 of 0-80, max");
        replay.Type(" ");
        var ended = await replay.EndAsync();
        Assert.Equal(0, ended.ExitCode);
        Assert.Contains("at game loop 80 after 34 observations", ended.Output, StringComparison.Ordinal);
        using var recording = RecordingReader.Open(Path.Combine(folder, "match.mcap"));
        var gap = Assert.Single(recording.ReadGaps());
        Assert.Equal((3ul, 47ul, "the replay was moved on"), (gap.FirstStep, gap.Steps, gap.Reason));
    }

    [Fact]
    public async Task The_exact_build_and_data_of_the_replay_are_started()
    {
        _installation.Add(75689).Add(80949).Add(99999);
        using var replay = Replayed(SimulatedReplay.Make(40, 75689, DataVersion), "--game", "starcraft");
        var ended = await replay.EndAsync();
        ended.Well();
        Assert.Contains("ended (finished) at game loop 40", ended.Output, StringComparison.Ordinal);
        Assert.Equal(["99999", $"75689 -dataVersion {DataVersion}"], _installation.Started);
    }

    [Fact]
    public async Task A_replay_that_names_its_build_starts_that_build_at_once()
    {
        // It is a replay of StarCraft II by its beginning; the simulated game, which stands in, cannot play it.
        _installation.Add(75800).Add(99999);
        using var replay = Replayed(MadeUpReplay.Bytes(75800, DataVersion));
        (await replay.EndAsync()).Says(
            1, "The game cannot read the replay", "is a replay of StarCraft II:", "Is the file complete?");
        Assert.Equal([$"75800 -dataVersion {DataVersion}"], _installation.Started);
    }

    [Fact]
    public async Task A_build_that_is_missing_is_named_before_a_game_starts()
    {
        _installation.Add(80949).Add(99999);
        using var replay = Replayed(MadeUpReplay.Bytes(75800, DataVersion));
        (await replay.EndAsync()).Says(
            1, "was played in version 4.10.1.75800 of StarCraft II", "Versions/Base75800 is not in",
            "(installed: 80949, 99999)", "Linux package");
        Assert.Empty(_installation.Started);
    }

    [Fact]
    public async Task A_missing_build_that_only_the_game_reports_is_named()
    {
        _installation.Add(80949);
        using var replay = Replayed(SimulatedReplay.Make(40, 75689, DataVersion), "--game", "starcraft");
        (await replay.EndAsync()).Says(1, "Versions/Base75689 is not in", "(installed: 80949)");
    }

    [Theory]
    [InlineData(2, "sc2bridge: StarCraft II was not found: install it, or set SC2PATH", "mpq")]
    [InlineData(2, "is not a replay", "text")]
    [InlineData(1, "is cut off or damaged", "cut")]
    [InlineData(2, "There is no replay", "missing")]
    [InlineData(1, "There is nothing in the replay", "empty")]
    [InlineData(1, "There is no player 3", "good", "--observe", "3")]
    [InlineData(2, "Record it first (sc2bridge record", "good", "--loop")]
    [InlineData(2, "no part of it can be chosen", "good", "--rate", "realtime", "--from", "3")]
    [InlineData(1, "from game loop 50 to 40: choose from 0 to 40", "good", "--from", "50")]
    [InlineData(1, "The map nowhere.SC2Map cannot be read", "good", "--map", "nowhere.SC2Map")]
    public async Task What_cannot_be_played_is_said_in_a_line(int exitCode, string why, string what, params string[] more)
    {
        var path = Path.Combine(Folder.Path, "none.SC2Replay");
        if (what != "missing")
        {
            path = Write(what switch
            {
                "mpq" => MadeUpReplay.Bytes(75800, DataVersion),
                "text" => "hello"u8.ToArray(),
                "cut" => SimulatedReplay.Make(40)[..^1],
                "empty" => SimulatedReplay.Make(0),
                _ => SimulatedReplay.Make(40),
            });
        }

        using var replay = Folder.Replay(path, more);
        (await replay.EndAsync()).Says(exitCode, why);
    }

    [Fact]
    public async Task Options_for_the_game_are_refused_where_a_recording_is_played()
    {
        using var replay = Folder.Replay("match.mcap", ["--observe", "1"]);
        (await replay.EndAsync()).Says(2, "--observe is for a replay", "as it was recorded");
    }

    private BridgeProcess Replayed(byte[] replay, params string[] more) =>
        Folder.Replay(Write(replay), more, [("SC2PATH", _installation.Root)]);

    private string Write(byte[] replay)
    {
        var path = Path.Combine(Folder.Path, "Match.SC2Replay");
        File.WriteAllBytes(path, replay);
        return path;
    }
}
