using System.CommandLine;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The command <c>sc2bridge match</c>.</summary>
internal static class MatchCommand
{
    internal static DocumentedCommand Create()
    {
        var maps = CreateMapOption();
        var scenarios = Text(
            "--scenario", null, "NAME|FILE",
            "a [fight](../guide/scenarios.md) instead of a map, on the simulated game: a name such as `3m`, or a file; VeryHard computers play it if no player is given");
        var games = Number("--games", 1, "N", "play a series of N games, each with the next seed", 1, 1_000);
        var keepGames = Number(
            "--keep-games", 0, "N", "of a series, keep the files of the newest N games and of failed games; 0 keeps all", 0, 1_000);
        var keepBytes = Size(
            "--keep-bytes", "of a series, keep the files of the newest games, at most SIZE in total, such as `500M` or `20G`");
        var players = new Option<string[]>("--player")
        {
            HelpName = "SPEC",
            Description = "a player (repeat the option for each player): `computer:RACE:DIFFICULTY`; `agent:RACE`, which an agent plays; or `api:RACE`, "
                + "an unmodified bot, which connects as if the bridge were the game. DIFFICULTY is `VeryEasy` to `VeryHard`, which is also called `Elite`, "
                + "or `CheatVision`, `CheatMoney` or `CheatInsane` (default: two VeryHard computers, Terran and Zerg)",
        };
        var rate = Text(
            "--rate", "max", "max|16|22.4|HZ|realtime", "steps a second; with `realtime`, the game runs on its own clock");
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var steps = Number(
            "--steps", MatchSettings.UsualStepLimit, "N", "the maximum number of steps; a match that reaches this number ends without a result. Without this option, a match with `api:RACE` has no limit", 1, int.MaxValue);
        var seed = Number(
            "--seed", SimulatorDefaults.Seed, "N", "the game's random seed", 0, uint.MaxValue);
        var observations = Text(
            "--observations", null, "DIR", "a folder of observation files with which the simulated game answers");
        var observe = Number("--observe", 0, "N", "the perspective: a player id, or 0 for an observer of all", 0, 16);
        var forfeit = Flag(
            "--forfeit",
            "a side loses when its last agent has left (default: the match [goes on while some agent plays or is awaited](../guide/matches.md#how-a-match-ends))");
        var open = Flag(
            "--open-perspectives",
            "any client may watch any side (default: if agents play two sides, [each side needs its token](../guide/matches.md#who-sees-which-side))");
        var restarts = Flag(
            "--restarts",
            "restart the match, in the same game, when a client with the role `control` requests it; the command runs until it is stopped");
        var inputEnd = Flag(
            "--stop-at-input-end", "stop when standard input ends, because then the program that started the match has ended");
        var game = new GameOptionSet();
        var api = new ApiOptionSet();
        var interfaceOptions = new InterfaceOptionSet();
        var recording = new RecordingOptionSet();
        var postMortem = new PostMortemOptionSet();
        var session = new SessionOptionSet("match");

        var command = new DocumentedCommand("match", "Plays a match and streams it to agents.")
        {
            Examples =
            [
                ("two computers play; watch them on the live page", "match --rate 22.4 --open"),
                ("the bot of my_bot.py against a computer", "match --player agent:terran --player computer:zerg:hard \\\n      --agent my_bot:MyBot"),
            ],
            CommonOptions = [maps, players, rate, steps, seed, games, .. session.CommonOptions],
        };
        command.Add(new("players and map", maps, scenarios, players, seed, observe, games, restarts, forfeit), new("pace", rate, stepSize, steps));
        command.Add([.. session.Groups, new("sides", open), .. recording.Groups, .. postMortem.Groups, new("files", keepGames, keepBytes) { OnlyInFile = [keepBytes] }]);
        command.Add([.. api.Groups, .. interfaceOptions.Groups, .. game.Groups, new("the game", observations, inputEnd)]);

        command.SetAction(async (parsed, cancellation) =>
        {
            var scenario = parsed.GetValue(scenarios) is { } path ? ReadScenario(path) : null;
            var settings = new MatchSettings
            {
                Scenario = scenario,
                Map = scenario?.Name ?? new MatchSettings().Map,
                Players = parsed.GetValue(players) is { Length: > 0 } specs ? [.. specs.Select(PlayerSpec.Parse)]
                    : scenario is null ? new MatchSettings().Players
                    : [.. scenario.Races.Select(race => PlayerSpec.Computer(race, Difficulty.VeryHard))],
                Seed = (uint)parsed.GetValue(seed),
                StepSize = (uint)parsed.GetValue(stepSize),
                Rate = StepRate.Parse(parsed.GetValue(rate)!),
                StepLimit = (ulong)parsed.GetValue(steps),
                Observe = (uint)parsed.GetValue(observe),
                DisableFog = interfaceOptions.ReadDisableFog(parsed),
                Interface = interfaceOptions.Read(parsed),
            };
            settings.Validate();
            var proxy = api.Read(parsed, settings);
            if (proxy is not null && !OptionSet.IsGiven(parsed, steps))
            {
                // Without --steps, the bot plays its match to the end, as it would without the bridge.
                settings = settings with { StepLimit = 0 };
            }

            var sessionOptions = session.Read(
                parsed,
                defaultPolicy: settings.Players.All(player => player.Kind != V1.PlayerKind.Agent) ? "every"
                    : settings.Rate.Realtime ? "latest" : "lockstep");
            proxy = proxy is null ? null : proxy with
            {
                Admission = sessionOptions.Server.Admission,
                HostNames = sessionOptions.Server.AllowedHosts,
                AllowedOrigins = sessionOptions.Server.AllowedOrigins,
            };
            CheckSides(sessionOptions.Agents, settings);
            sessionOptions = KeepSidesApart(sessionOptions, settings, parsed.GetValue(open));
            var gameOptions = game.Read(parsed) with { Observations = parsed.GetValue(observations) };
            if (scenario is not null)
            {
                gameOptions = ChooseSimulatedGame(gameOptions, parsed.GetValue(maps) ?? []);
            }

            var count = (int)parsed.GetValue(games);
            var file = recording.Read(parsed, sessionOptions.OutputFolder, oneFile: count == 1 && !parsed.GetValue(restarts));
            var canRestart = parsed.GetValue(restarts);
            if (canRestart && (count > 1 || proxy is not null))
            {
                throw new CommandException("--restarts plays one game after another, with agents and computers: leave out --games and api:RACE");
            }

            var retention = new Retention
            {
                MaxGames = (int)parsed.GetValue(keepGames) is > 0 and var most ? most : null,
                MaxBytes = parsed.GetValue(keepBytes),
            };
            if (count == 1 && !canRestart && retention != new Retention())
            {
                throw new CommandException("--keep-games, and keep-bytes of the configuration file, are for a series: add --games N or --restarts, or leave them out");
            }

            if (parsed.GetValue(inputEnd))
            {
                SignalHandler.StopAtInputEnd();
            }

            var streaming = new StreamingSession(sessionOptions with { PostMortem = postMortem.Read(parsed), RecordingFile = file, Retention = retention });
            KeptGame[] keptGames = canRestart ? [.. Enumerable.Range(0, Math.Max(1, settings.Sides.Count)).Select(_ => new KeptGame())] : [];
            var planned = PlanGames(settings, parsed.GetValue(maps) ?? [], count).ToList();
            try
            {
                return await streaming.RunAsync(
                    [.. planned.Select(PlanMatch)],
                    cancellation,
                    canRestart ? seed => PlanMatch(planned[0] with { Match = MatchSettings.NewName(), Seed = seed }) : null);
            }
            finally
            {
                await Task.WhenAll(keptGames.Select(one => one.DisposeAsync().AsTask()));
            }

            Func<Action<string>, StreamedMatch> PlanMatch(MatchSettings one) => print =>
                CreateMatch(gameOptions, proxy, one, print, streaming.EmitBotAddress, isFirst: one == planned[0], canRestart ? keptGames : null) with { Forfeits = parsed.GetValue(forfeit) };
        });
        return command;
    }

    /// <summary>Makes the option that names maps. The command <c>work submit</c> has this option too.</summary>
    internal static Option<string[]> CreateMapOption() => new("--map")
    {
        HelpName = "NAME",
        Description = "the name of a map, as people write it, or a map file; repeat the option to name maps that the games of a series use in turn "
            + "(default: Cinder Fortress LE)",
    };

    // If a file and a scenario have the same name, the file is read.
    private static Scenario ReadScenario(string given)
    {
        try
        {
            return File.Exists(given) ? Scenario.Read(File.ReadAllBytes(given), given)
                : Scenario.Find(given) ?? throw new FormatException(
                    $"no such file or scenario: write the path of a file, or one of {string.Join(", ", Scenario.Names)}"
                    + ClosestWord.Hint(given, Scenario.Names));
        }
        catch (Exception error) when (error is FormatException or IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"--scenario {given}: {error.Message.TrimEnd('.')}", error);
        }
    }

    // StarCraft II plays a fight only if the map of --map contains the fight, like the maps of SMAC.
    private static GameOptions ChooseSimulatedGame(GameOptions game, string[] maps) =>
        maps.Length > 0 ? throw new CommandException("--scenario contradicts --map: leave one out")
        : game.Game == GameChoice.Starcraft ? throw new CommandException(
            "--scenario is for the simulated game: leave out --game starcraft, or name a map with such a fight for StarCraft II "
            + "with --map")
        : game.Attach is not null ? game
        : game with { Game = GameChoice.Simulated };

    // Each game of a series has the next seed and the next map.
    private static IEnumerable<MatchSettings> PlanGames(MatchSettings settings, string[] maps, int count)
    {
        if (maps.Length > count)
        {
            throw new CommandException(
                $"--map is given {maps.Length} times for {count} {(count == 1 ? "game" : "games")}: "
                + "play more with --games");
        }

        return Enumerable.Range(0, count).Select(game => settings with
        {
            Match = MatchSettings.NewName(),
            Map = maps.Length > 0 ? maps[game % maps.Length] : settings.Map,
            Seed = settings.Seed + (uint)game,
        });
    }

    private static StreamedMatch CreateMatch(
        GameOptions game, ProxyOptions? proxy, MatchSettings settings, Action<string> print, Action<uint, GameAddress> onListening,
        bool isFirst, IReadOnlyList<KeptGame>? keptGames) =>
        new()
        {
            Source = MatchSource.Make(settings, game, proxy, print, onListening, isFirst, keptGames),
            Rate = settings.Rate,
            StepLimit = settings.StepLimit,
            PlannedDescription = settings.Describe(),
            Advice = "Start the match again; the logs up to that point are in",
        };

    // If two sides are played, clients of one side cannot see the other side. With --open-perspectives, they can.
    private static SessionOptions KeepSidesApart(SessionOptions session, MatchSettings settings, bool open)
    {
        List<uint> sides = [.. settings.Sides.Select(index => (uint)index + 1)];
        return open || sides.Count < 2
            ? session
            : session with { Access = session.Access with { SidesApart = [.. sides.Select(side => (uint?)side)] }, FirstSide = sides[0] };
    }

    // If two sides are played, each agent must name its side, and the side must be one of the two.
    private static void CheckSides(IReadOnlyList<AgentSpec> agents, MatchSettings settings)
    {
        var sides = settings.Sides.Select(index => (uint)index + 1).ToList();
        foreach (var agent in agents)
        {
            if (sides.Count > 1 && agent.Side is null && agent.Target != SessionOptionSet.Watcher)
            {
                throw new CommandException(
                    $"--agent {agent.Target}: two sides are played, so choose a side: {sides[0]}={agent.Target} "
                    + $"or {sides[1]}={agent.Target}");
            }

            if (agent.Side is { } side && !sides.Contains(side))
            {
                throw new CommandException(
                    $"--agent {side}={agent.Target}: agents cannot take the side of player {side}: "
                    + (sides.Count > 0 ? $"write {string.Join(" or ", sides)}" : "leave out the number"));
            }
        }
    }
}
