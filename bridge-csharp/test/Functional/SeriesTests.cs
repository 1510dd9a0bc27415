using System.Text.Json;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Series of games, and games that fail in them.</summary>
public sealed class SeriesTests : MatchFolderTests
{
    [Fact]
    [Trait("Suite", "Long")]
    public async Task Twenty_games_with_the_game_killed_in_every_third_have_twenty_results()
    {
        const int Count = 20;
        const string Mark = "SERIES";
        var mark = Guid.NewGuid().ToString();

        // A small heap limit forces collections, so that memory shows what is still referenced. A game needs about 20 MB of
        // the 48. A leak of twenty games would not fit.
        using var match = Folder.Match(
            ["--games", $"{Count}", "--steps", "60", "--agent", "sc2bridge.agents:Watcher", "--rate", "60"],
            [(Mark, mark), ("DOTNET_GCHeapHardLimit", "0x3000000")]);
        var memory = new List<long>();
        var sockets = new HashSet<string>();
        for (var game = 3; game <= Count; game += 3)
        {
            var number = game;
            await match.UntilAsync(() => Folder.StepsSoFar($"out/game-{number:000}") >= 1);
            var killed = match.Games().Single();
            BridgeProcess.Signal(killed, BridgeProcess.Stop);
            memory.Add(ProcessFacts.Resident(match.Id));

            // Two of the bridge's own, and the game's.
            var listening = ProcessFacts.Listening(match.Alive().Keys);
            Assert.Equal(3, listening.Count);
            Assert.Equal(2, ProcessFacts.Listening([match.Id]).Count);
            sockets.UnionWith(listening.Keys);
            BridgeProcess.Signal(killed, BridgeProcess.KillSignal);
        }

        var ended = await match.EndAsync();
        Assert.Empty(ProcessFacts.With(Mark, mark));
        Assert.Equal(2 + (Count / 3), sockets.Count);
        Assert.Empty(sockets.Intersect(ProcessFacts.Listening().Keys));
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(Count / 3, ended.Error.Count);
        Assert.All(
            ended.Error,
            line => Assert.Contains("The simulated game was ended by signal 9", line, StringComparison.Ordinal));
        Assert.Contains($"{Count} games, {Count / 3} aborted", ended.Output, StringComparison.Ordinal);
        using var summary = JsonDocument.Parse(File.ReadAllText(Path.Combine(Folder.Out, "summary.json")));
        var games = summary.RootElement.GetProperty("games").EnumerateArray().ToList();
        Assert.Equal(
            Enumerable.Range(1, Count).Select(game => game % 3 == 0),
            games.Select(game => game.GetProperty("aborted").GetBoolean()));
        Assert.Equal(Count, games.Select(game => game.GetProperty("seed").GetUInt32()).Distinct().Count());
        for (var game = 1; game <= Count; game++)
        {
            var folder = Path.Combine(Folder.Out, $"game-{game:000}");
            using var recording = RecordingReader.Open(Path.Combine(folder, "match.mcap"));
            var end = recording.ReadEnd();
            Assert.Null(recording.Problem);
            Assert.Equal(game % 3 == 0, end?.Aborted);
            Assert.Equal(game < Count, end?.NextFollows);
            Assert.Equal(recording.Count(0), Folder.Steps($"out/game-{game:000}").Rows.Count);

            // The agent got the failure, after the frames before it.
            var heard = LogTable.Read(Path.Combine(folder, "agents.csv")).Rows.Count;
            Assert.InRange(heard, 1, (int)recording.Count(0));
        }

        // A leak would grow with each game. The first nine are a warm-up: code is compiled and pools are filled.
        Assert.InRange(memory[^1], 0, memory[2] * 23 / 20);
    }

    [Fact]
    public async Task A_game_that_cannot_start_is_aborted_reported_and_leaves_no_recording()
    {
        using var match = Folder.Match(
            [
                "--games", "3", "--steps", "5", "--map", "Cinder Fortress LE", "--map", "Nowhere LE", "--map",
                "Ashen Terrace LE", "--agent", "sc2bridge.agents:Watcher",
            ]);
        var ended = await match.EndAsync();
        ended.Says(1, "game 2 could not be started", "Nowhere LE");
        Assert.Contains("3 games, 1 aborted", ended.Output, StringComparison.Ordinal);
        var agent = ended.Told.Split('\n').Where(line => line.StartsWith("[watcher-1-shm]", StringComparison.Ordinal));
        Assert.Contains(agent, line => line.Contains("Nowhere LE", StringComparison.Ordinal));
        Assert.Equal(
            [true, false, true],
            Enumerable.Range(1, 3).Select(game => File.Exists(Path.Combine(Folder.Out, $"game-00{game}", "match.mcap"))));
    }

    [Fact]
    public async Task A_series_whose_game_has_ended_reports_the_played_games()
    {
        var installation = new MadeUpInstallation(Path.Combine(Folder.Path, "sc2")).Add(99999);
        using var match = Folder.Match(
            ["--game", "starcraft", "--games", "2", "--steps", "100", "--rate", "100"], [("SC2PATH", installation.Root)]);
        await match.UntilAsync(() => Folder.StepsSoFar("out/game-001") >= 1);
        Directory.Delete(installation.Root, recursive: true);
        (await match.EndAsync()).Says(1, "the series ends before game 2: ");
        Assert.Equal(1, GamesInSummary());
    }

    [Fact]
    public async Task A_killed_series_has_the_summary_of_the_games_before()
    {
        using var match = Folder.Match("--games", "2", "--steps", "100", "--rate", "100");
        await match.UntilAsync(() => Folder.StepsSoFar("out/game-002") >= 1);
        match.Signal(BridgeProcess.KillSignal);
        Assert.Equal(137, (await match.EndAsync()).ExitCode);
        Assert.Equal(1, GamesInSummary());
    }

    [Theory]
    [InlineData("--restarts")]
    [InlineData("--games", "3")]
    public async Task A_first_match_that_cannot_start_ends_the_session(params string[] series)
    {
        var noMap = await Folder.PlayAsync([.. series, "--map", "Nowhere LE", "--agent", "sc2bridge.agents:Watcher"]);
        noMap.Says(2, "sc2bridge: ", "There is no map 'Nowhere LE'");
        Assert.False(Directory.Exists(Folder.Out));
        var noAgent = await Folder.PlayAsync([.. series, "--out", Path.Combine(Folder.Path, "other"), "--agent", "nowhere:Nobody"]);
        noAgent.Says(1, "agent nobody-1-shm ended with exit code 2");
    }

    [Theory]
    [InlineData("--restarts")]
    [InlineData("--games", "3")]
    public async Task A_game_that_refuses_to_create_the_first_match_ends_the_session(params string[] series)
    {
        await using var game = ScriptedGame.Start(RefuseAsync);
        (await Folder.PlayAsync([.. series, "--attach", game.Address.ToString()])).Says(1, "sc2bridge: ", "no room for a game");

        static async Task RefuseAsync(ScriptedConnection connection)
        {
            var game = new StandInGame();
            while (await connection.ReadAsync() is { } request)
            {
                var response = request.RequestCase == SC2APIProtocol.Request.RequestOneofCase.CreateGame
                    ? new SC2APIProtocol.Response { Error = { "no room for a game" } }
                    : game.Answer(request)!;
                response.Id = request.Id;
                await connection.SendAsync(Google.Protobuf.MessageExtensions.ToByteArray(response));
            }
        }
    }

    [Fact]
    public async Task A_series_that_cannot_continue_reports_the_played_games()
    {
        Directory.CreateDirectory(Folder.Out);
        await File.WriteAllTextAsync(Path.Combine(Folder.Out, "game-002"), "", Ct);
        var ended = await Folder.PlayAsync("--games", "3", "--steps", "5", "--agent", "sc2bridge.agents:Watcher");
        ended.Says(1, "the series ends before game 2: cannot write to the output folder", "name another folder with --out");
        Assert.Contains("1 games, 0 aborted", ended.Output, StringComparison.Ordinal);
        Assert.Equal(1, GamesTold());
    }

    [Fact]
    public async Task A_series_that_is_stopped_between_two_games_reports_the_played_games()
    {
        using var match = Folder.Match("--games", "3", "--steps", "5", "--wait", "1");
        var grpc = (await match.LineAsync("gRPC on")).Split("gRPC on ")[1].Split(',')[0];
        using var guest = BridgeProcess.Start(
            [MatchFolder.Python, "-m", "sc2bridge", "run", "leaver:Guest", "--bridge", $"grpc://{grpc}"]);

        // The second game waits for the guest, which has left.
        (await guest.EndAsync()).Well();
        await match.UntilAsync(() => File.Exists(Path.Combine(Folder.Out, "game-002", "agents.csv.partial")));
        match.Signal(BridgeProcess.Interrupt);
        var ended = await match.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);
        Assert.Contains("1 games, 0 aborted", ended.Output, StringComparison.Ordinal);
        Assert.Equal(1, GamesTold());
    }

    [Fact]
    public async Task A_series_on_a_full_disk_reports_each_game()
    {
        var disk = new SmallDisk(Folder);
        var folder = $"{disk.Path}/out";
        var machines = Path.Combine(Folder.Path, "series.json");
        using var match = Folder.Match(
            ["--games", "3", "--steps", "5", "--out", folder, "--json", machines], [],
            await disk.AroundAsync(":", full: true));
        var ended = await match.EndAsync();
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(4, ended.Error.Count);
        var games = Summary(machines).GetProperty("games").EnumerateArray().ToList();
        for (var game = 1; game <= 3; game++)
        {
            var line = ended.Error[game - 1];
            var told = games[game - 1].GetProperty("failed_writes").GetString()!;
            Assert.EndsWith($"game {game}: {told}", line, StringComparison.Ordinal);
            Assert.Contains("No space left on device", told, StringComparison.Ordinal);
            Assert.Contains($"{folder}/game-{game:000}/match.mcap", told, StringComparison.Ordinal);
            Assert.Contains($"{folder}/game-{game:000}/summary.json", told, StringComparison.Ordinal);
        }


        // One line names all files that the series itself could not write.
        Assert.Contains("could not be written", ended.Error[3], StringComparison.Ordinal);
        Assert.Contains($"{folder}/summary.json", ended.Error[3], StringComparison.Ordinal);
        Assert.Contains("bridge.log", ended.Error[3], StringComparison.Ordinal);
        Assert.Contains(
            "3 games, 0 aborted, 3 with files that could not be written", ended.Output, StringComparison.Ordinal);
        Assert.Equal(3, Summary(machines).GetProperty("failed_writes").GetInt32());
    }

    private static JsonElement Summary(string file) => JsonDocument.Parse(File.ReadAllText(file)).RootElement;

    private int GamesTold()
    {
        using var summary = JsonDocument.Parse(File.ReadAllText(Path.Combine(Folder.Out, "summary.json")));
        return summary.RootElement.GetProperty("games").GetArrayLength();
    }

    [Fact]
    public async Task A_match_that_never_starts_leaves_no_recording()
    {
        (await Folder.PlayAsync("--map", "Nowhere LE")).Says(2, "Nowhere LE");
        Assert.False(File.Exists(Path.Combine(Folder.Out, "match.mcap")));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_frozen_game_is_found_out_and_ended(int frozen)
    {
        string[] players = frozen == 0 ? [] : ["--player", "agent:zerg", "--player", "agent:terran"];
        using var match = Folder.Match([.. players, "--rate", "100", "--game-deadline", "1"]);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        var games = match.Games();
        BridgeProcess.Signal(games[frozen], BridgeProcess.Stop);
        var ended = await match.EndAsync();
        ended.Says(1, "The game hangs: no answer to ", "Its process still runs", "Start the match again");
        using var recording = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        Assert.Null(recording.Problem);
        Assert.True(recording.ReadEnd()?.Aborted);
    }

    [Fact]
    [Trait("Suite", "Long")]
    public async Task A_game_killed_at_any_moment_loses_nothing_that_was_received()
    {
        // Fifty times, each after another time: while it starts, loads, is joined, steps and ends. Its steps take two seconds,
        // so that most games still run when their kill is due, also if this test is late.
        const int Count = 50;
        using var match = Folder.Match(["--games", $"{Count}", "--steps", "600", "--rate", "300"]);
        var random = new Random(7);
        for (var game = 1; game <= Count; game++)
        {
            var folder = Path.Combine(Folder.Out, $"game-{game:000}");
            // A series whose first game cannot start ends.
            await match.UntilAsync(() => (Directory.Exists(folder) && match.Games().Count > 0
                && (game > 1 || Folder.StepsSoFar("out/game-001") > 0)) || Over(folder));
            await Task.Delay(random.Next(2500), Ct);
            foreach (var process in match.Games())
            {
                BridgeProcess.TrySignal(process, BridgeProcess.KillSignal);
            }

            await match.UntilAsync(() => Over(folder));
        }

        var ended = await match.EndAsync();
        Assert.Equal(1, ended.ExitCode);
        Assert.Contains($"{Count} games, ", ended.Output, StringComparison.Ordinal);
        using var summary = JsonDocument.Parse(File.ReadAllText(Path.Combine(Folder.Out, "summary.json")));
        var aborted = 0;
        foreach (var game in summary.RootElement.GetProperty("games").EnumerateArray())
        {
            aborted += game.GetProperty("aborted").GetBoolean() ? 1 : 0;
            var folder = game.GetProperty("folder").GetString()!;
            var file = Path.Combine(folder, "match.mcap");
            if (File.Exists(file))
            {
                using var recording = RecordingReader.Open(file);
                Assert.Null(recording.Problem);
                Assert.Equal(game.GetProperty("aborted").GetBoolean(), recording.ReadEnd()?.Aborted);
                var observations = recording.Perspectives.Sum(recording.Count);
                Assert.Equal(game.GetProperty("observations").GetInt64(), observations);
                Assert.Equal(observations, LogTable.Read(Path.Combine(folder, "steps.csv")).Rows.Count);
            }
            else
            {
                Assert.Equal(0, game.GetProperty("observations").GetInt64());
            }
        }

        Assert.True(aborted > Count / 2, $"{aborted} games were killed");
        Assert.Equal(aborted, ended.Error.Count);
    }

    // Its summary is written, or the next game's folder exists.
    private bool Over(string folder)
    {
        var number = int.Parse(folder[^3..], System.Globalization.CultureInfo.InvariantCulture);
        return Directory.Exists(Path.Combine(Folder.Out, $"game-{number + 1:000}"))
            || File.Exists(Path.Combine(Folder.Out, "summary.json"));
    }

    private int GamesInSummary()
    {
        using var summary = JsonDocument.Parse(File.ReadAllText(Path.Combine(Folder.Out, "summary.json")));
        return summary.RootElement.GetProperty("games").GetArrayLength();
    }
}
