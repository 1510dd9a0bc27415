using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A match of two sides that agents play, on two game processes.</summary>
public sealed class SidesTests : MatchFolderTests
{
    private static readonly string[] _players = ["--player", "agent:zerg", "--player", "agent:terran"];
    private static readonly string[] _agents =
        ["--agent", "1=collector:Collector@grpc", "--agent", "2=collector:Collector@proto"];


    private string Recording => Path.Combine(Folder.Out, "match.mcap");

    [Theory]
    [InlineData("max")]
    [InlineData("realtime", Traits = ["Suite", "Long"])]
    public async Task Each_agent_receives_its_own_side_and_both_are_recorded_and_replayed(string rate)
    {
        var heard = NewFolder("heard");
        using var match = Folder.Match(
            [.. _players, .. _agents, "--policy", "every", "--rate", rate, "--steps", "25"], [("COLLECT", heard)]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains("50 observations", ended.Output, StringComparison.Ordinal);

        using (var recording = RecordingReader.Open(Recording))
        {
            Assert.Equal([1u, 2], recording.Perspectives);
            Assert.Equal([1u, 2], recording.Description.Perspectives);
            Assert.Equal([V1.PlayerKind.Agent, V1.PlayerKind.Agent], recording.Description.Players.Select(player => player.Kind));
            Assert.NotEqual(recording.ReadGameInfo(1), recording.ReadGameInfo(2));
            Assert.Equal(Observations(recording, 1), Heard(heard, "collector-1-grpc"));
            Assert.Equal(Observations(recording, 2), Heard(heard, "collector-2-proto"));
            Assert.NotEqual(Heard(heard, "collector-1-grpc")[0], Heard(heard, "collector-2-proto")[0]);
            Assert.Equal(V1.EndReason.StepLimit, recording.ReadEnd()?.Reason);
        }

        var rows = Folder.Steps().Rows;
        Assert.Equal(["1", "2"], rows.Select(row => row["perspective"]).Distinct().Order());
        Assert.All(
            rows.GroupBy(row => row["perspective"]),
            side => Assert.Equal(Enumerable.Range(0, 25).Select(step => $"{step}"), side.Select(row => row["step"])));

        var again = NewFolder("again");
        using var replay = Folder.Replay(Recording, [.. _agents], ("COLLECT", again));
        (await replay.EndAsync()).Well();
        HeardTheSame(heard, again);
    }

    [Fact]
    public async Task Both_sides_of_a_recording_are_played_as_two_game_processes()
    {
        var heard = NewFolder("heard");
        using (var match = Folder.Match(
            [.. _players, .. _agents, "--policy", "every", "--steps", "25"], [("COLLECT", heard)]))
        {
            (await match.EndAsync()).Well();
        }

        const int Build = 75689;
        var game = new MadeUpInstallation(Folder.Path).Add(Build, "--recording", Recording);
        File.WriteAllText(Path.Combine(game.Root, "Maps", "Cinder Fortress LE.SC2Map"), "");
        var again = NewFolder("again");
        var copy = Path.Combine(Folder.Path, "copy.mcap");
        using (var match = Folder.Match(
            [
                .. _players, .. _agents, "--policy", "every", "--steps", "25", "--game", "starcraft", "--out",
                NewFolder("played"), "--recording", copy,
            ],
            [("COLLECT", again), ("SC2PATH", game.Root)]))
        {
            (await match.EndAsync()).Well();
        }

        Assert.Equal(2, game.Started.Count);
        HeardTheSame(heard, again);
        using var first = RecordingReader.Open(Recording);
        using var second = RecordingReader.Open(copy);
        Assert.All((uint[])[1, 2], side => Assert.Equal(first.ReadGameInfo(side), second.ReadGameInfo(side)));
    }

    [Fact]
    public async Task The_game_of_one_side_that_is_killed_ends_the_match_for_both()
    {
        using var match = Folder.Match(
            [
                .. _players, "--agent", "1=sc2bridge.agents:Watcher", "--agent", "2=sc2bridge.agents:Watcher",
                "--rate", "100",
            ]);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        var games = match.Games();
        Assert.Equal(2, games.Count);
        BridgeProcess.Signal(games[1], BridgeProcess.KillSignal);
        var ended = await match.EndAsync();
        ended.Says(1, "Player ", "'s game failed: ", "The simulated game was ended by signal 9", "Start the match");
        Assert.Equal(3, ended.Told.Split("was ended by signal 9").Length - 1);
        using var recording = RecordingReader.Open(Recording);
        Assert.Null(recording.Problem);
        Assert.True(recording.ReadEnd()?.Aborted);
    }

    [Fact]
    public async Task A_side_that_is_missing_or_unknown_is_one_line()
    {
        (await Folder.PlayAsync([.. _players, "--agent", "collector:Collector"]))
            .Says(2, "two sides are played", "1=collector:Collector");
        (await Folder.PlayAsync([.. _players, "--agent", "3=collector:Collector"])).Says(2, "player 3", "1 or 2");
        (await Folder.PlayAsync("--agent", "1=collector:Collector")).Says(2, "player 1", "leave out the number");
        (await Folder.PlayAsync([.. _players, "--player", "agent:zerg"])).Says(2, "3 sides", "computer:RACE");
        (await Folder.PlayAsync([.. _players, "--attach", "127.0.0.1:1"])).Says(2, "--attach takes one game");
    }

    private static void HeardTheSame(string first, string second)
    {
        foreach (var agent in (string[])["collector-1-grpc", "collector-2-proto"])
        {
            Assert.Equal(Heard(first, agent), Heard(second, agent));
        }
    }

    private static List<string> Heard(string folder, string agent) =>
    [
        .. Directory.GetFiles(Path.Combine(folder, agent)).Order().Select(
            file => Convert.ToHexString(File.ReadAllBytes(file))),
    ];

    private static List<string> Observations(RecordingReader recording, uint perspective)
    {
        var all = new List<string>();
        using var reader = recording.Observations(perspective);
        while (reader.Next(out var observation))
        {
            all.Add(Convert.ToHexString(observation.Bytes.Span));
        }

        return all;
    }

    private string NewFolder(string name) => Directory.CreateDirectory(Path.Combine(Folder.Path, name)).FullName;
}
