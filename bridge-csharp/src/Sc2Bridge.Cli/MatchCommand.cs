using System.CommandLine;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of <c>sc2bridge match</c>.</summary>
internal static class MatchCommand
{
    internal static DocumentedCommand Create()
    {
        var maps = Maps();
        var scenarios = Text(
            "--scenario", null, "NAME|FILE",
            "a [fight](../guide/scenarios.md) instead of a map, on the simulated game: a name such as `3m`, or a file; VeryHard computers play it if no player is given");
        var games = Number("--games", 1, "N", "play a series of N games, each with the next seed", 1, 1_000);
        var keepGames = Number(
            "--keep-games", 0, "N", "of a series, keep the files of the newest N games and of failed games; 0 keeps all", 0, 1_000);
        var keepBytes = Size(
            "--keep-bytes", "of a series, keep the newest files of at most SIZE, such as `500M` or `20G`");
        var players = new Option<string[]>("--player")
        {
            HelpName = "SPEC",
            Description = "a player, once for each: `computer:RACE:DIFFICULTY`; `agent:RACE`, which an agent plays; or `api:RACE`, "
                + "an unmodified bot, which connects as if the bridge were the game. DIFFICULTY is `VeryEasy` to `VeryHard`, which is also called `Elite`, "
                + "or `CheatVision`, `CheatMoney` or `CheatInsane` (default: two VeryHard computers, Terran and Zerg)",
        };
        var rate = Text(
            "--rate", "max", "max|16|22.4|HZ|realtime", "steps a second; `realtime` lets the game's own clock run");
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var steps = Number(
            "--steps", MatchSettings.UsualStepLimit, "N", "the most steps; a match that reaches them ends without a result. Without this option, a match with `api:RACE` has no limit", 1, int.MaxValue);
        var seed = Number(
            "--seed", SimulatorDefaults.Seed, "N", "the game's random seed", 0, uint.MaxValue);
        var observations = Text(
            "--observations", null, "DIR", "a folder of observation files with which the simulated game answers");
        var observe = Number("--observe", 0, "N", "whose observations: a player id, or 0 for an observer of all", 0, 16);
        var forfeit = Flag(
            "--forfeit",
            "a side whose last agent is gone has lost (default: the match [goes on while some agent plays or is awaited](../guide/matches.md#how-a-match-ends))");
        var open = Flag(
            "--open-perspectives",
            "everybody may watch any side (default: if agents play two sides, [each side needs its token](../guide/matches.md#who-sees-which-side))");
        var restarts = Flag(
            "--restarts",
            "the match begins again, in the same game, whenever a client of the role `control` asks; until it is stopped");
        var inputEnd = Flag(
            "--stop-at-input-end", "stop when standard input ends, with the program that started the match");
        var game = new GameOptionSet();
        var api = new ApiOptionSet();
        var observed = new InterfaceOptionSet();
        var recording = new RecordingOptionSet();
        var session = new SessionOptionSet("match");

        var command = new DocumentedCommand("match", "Plays a match and streams it to agents.")
        {
            Examples =
            [
                ("two computers play; watch them on the live page", "match --rate 22.4 --open"),
                ("the bot of my_bot.py against a computer", "match --player agent:terran --player computer:zerg:hard \\\n      --agent my_bot:MyBot"),
            ],
            Common = [maps, players, rate, steps, seed, games, .. session.Common],
        };
        command.Add(new("players and map", maps, scenarios, players, seed, observe, games, restarts, forfeit), new("pace", rate, stepSize, steps));
        command.Add([.. session.Groups, new("sides", open), .. recording.Groups, new("files", keepGames, keepBytes) { OnlyInFile = [keepBytes] }]);
        command.Add([.. api.Groups, .. observed.Groups, .. game.Groups, new("the game", observations, inputEnd)]);

        command.SetAction((parsed, cancellation) => Failures.ReportAsync(async () =>
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
                DisableFog = observed.DisableFog(parsed),
                Interface = observed.Read(parsed),
            };
            settings.Validate();
            var proxy = api.Read(parsed, settings);
            if (proxy is not null && !OptionSet.IsGiven(parsed, steps))
            {
                // The bot plays its match to the end, as it would without the bridge.
                settings = settings with { StepLimit = 0 };
            }

            var shared = session.Read(
                parsed,
                usualPolicy: proxy is not null || !settings.HasAgents ? "every"
                    : settings.Rate.Realtime ? "latest" : "lockstep");
            proxy = proxy is null ? null : proxy with
            {
                Admission = shared.Server.Admission,
                HostNames = shared.Server.AllowedHosts,
                AllowedOrigins = shared.Server.AllowedOrigins,
            };
            CheckSides(shared.Agents, settings);
            shared = KeptApart(shared, settings, parsed.GetValue(open));
            var played = game.Read(parsed) with { Observations = parsed.GetValue(observations) };
            if (scenario is not null)
            {
                played = OnSimulatedGame(played, parsed.GetValue(maps) ?? []);
            }

            var count = (int)parsed.GetValue(games);
            var file = recording.Read(parsed, shared.OutputFolder, oneFile: count == 1 && !parsed.GetValue(restarts));
            var again = parsed.GetValue(restarts);
            if (again && (count > 1 || proxy is not null))
            {
                throw new CommandException("--restarts is for agents and computers, a game after the other: leave out --games, and api:RACE");
            }

            var retention = new Retention
            {
                Games = (int)parsed.GetValue(keepGames) is > 0 and var most ? most : null,
                Bytes = parsed.GetValue(keepBytes),
            };
            if (count == 1 && !again && retention != new Retention())
            {
                throw new CommandException("--keep-games, and keep-bytes of the configuration file, are for a series: give --games or --restarts, or leave them out");
            }

            if (parsed.GetValue(inputEnd))
            {
                SignalHandler.StopAtInputEnd();
            }

            var streaming = new StreamingSession(shared with { RecordingFile = file, Retention = retention });
            KeptGame[] kept = again ? [.. Enumerable.Range(0, Math.Max(1, settings.Sides.Count)).Select(_ => new KeptGame())] : [];
            var planned = Games(settings, parsed.GetValue(maps) ?? [], count).ToList();
            try
            {
                return await streaming.RunAsync(
                    [.. planned.Select(Choice)],
                    cancellation,
                    again ? seed => Choice(planned[0] with { Match = MatchSettings.NewName(), Seed = seed }) : null);
            }
            finally
            {
                await Task.WhenAll(kept.Select(one => one.DisposeAsync().AsTask()));
            }

            Func<Action<string>, StreamedMatch> Choice(MatchSettings one) => say =>
                Streamed(played, proxy, one, say, streaming.EmitBotAddress, isFirst: one == planned[0], again ? kept : null) with { Forfeits = parsed.GetValue(forfeit) };
        }));
        return command;
    }

    /// <summary>The option that names maps, which <c>work submit</c> has too.</summary>
    internal static Option<string[]> Maps() => new("--map")
    {
        HelpName = "NAME",
        Description = "the map, as people write its name, or a map file; several for the games of a series in turn "
            + "(default: Cinder Fortress LE)",
    };

    // A file comes before a scenario of the same name.
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

    // Elsewhere the map that --map names has such a fight in it, as SMAC's maps have.
    private static GameOptions OnSimulatedGame(GameOptions game, string[] maps) =>
        maps.Length > 0 ? throw new CommandException("--scenario contradicts --map: leave one out")
        : game.Game == GameChoice.Starcraft ? throw new CommandException(
            "--scenario is for the simulated game: leave out --game starcraft, or give StarCraft II a map with such a fight by "
            + "--map")
        : game.Attach is not null ? game
        : game with { Game = GameChoice.Simulated };

    // Of a series each game has the next seed, and the next of the maps.
    private static IEnumerable<MatchSettings> Games(MatchSettings settings, string[] maps, int count)
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

    private static StreamedMatch Streamed(
        GameOptions game, ProxyOptions? proxy, MatchSettings settings, Action<string> say, Action<uint, GameAddress> listens,
        bool isFirst, IReadOnlyList<KeptGame>? kept) =>
        new()
        {
            Source = MatchSource.Make(settings, game, proxy, say, listens, isFirst, kept),
            Rate = settings.Rate,
            StepLimit = settings.StepLimit,
            Planned = settings.Describe(),
            Advice = "Start the match again; what was logged until then is in",
        };

    // Of one player's match, or an observer's, there is nothing to hide.
    private static SessionOptions KeptApart(SessionOptions session, MatchSettings settings, bool open)
    {
        List<uint> sides = [.. settings.Sides.Select(place => (uint)place + 1)];
        return open || sides.Count < 2
            ? session
            : session with { Access = session.Access with { SidesApart = [.. sides.Select(side => (uint?)side)] }, FirstSide = sides[0] };
    }

    // Which side an agent takes must be said where there are two, and can be no other than they.
    private static void CheckSides(IReadOnlyList<AgentSpec> agents, MatchSettings settings)
    {
        var sides = settings.Sides.Select(place => (uint)place + 1).ToList();
        foreach (var agent in agents)
        {
            if (sides.Count > 1 && agent.Side is null && agent.Target != SessionOptionSet.Watcher)
            {
                throw new CommandException(
                    $"--agent {agent.Target}: two sides are played, so say whose it takes: {sides[0]}={agent.Target} "
                    + $"or {sides[1]}={agent.Target}");
            }

            if (agent.Side is { } side && !sides.Contains(side))
            {
                throw new CommandException(
                    $"--agent {side}={agent.Target}: player {side} is none whose side agents can take"
                    + (sides.Count > 0 ? $" ({string.Join(" or ", sides)})" : ": leave out the number"));
            }
        }
    }
}
