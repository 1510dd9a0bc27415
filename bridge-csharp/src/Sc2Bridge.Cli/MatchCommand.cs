using System.CommandLine;
using Sc2Bridge.Games;
using Sc2Bridge.Proxy;
using Sc2Bridge.Simulator;
using static Sc2Bridge.Cli.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of <c>sc2bridge match</c>.</summary>
internal static class MatchCommand
{
    internal static Command Create()
    {
        var map = Text("--map", "Cinder Fortress LE", "NAME", "the map, as people write it, or a path to a map file");
        var players = new Option<string[]>("--player")
        {
            HelpName = "SPEC",
            Description = "a player: computer:RACE:DIFFICULTY; agent:RACE, whom agents play over the bridge; or api:RACE, "
                + "an unmodified bot that connects as if the bridge were the game; once for each (default: Elites, Terran "
                + "and Zerg)",
        };
        var rate = Text(
            "--rate", "max", "max|16|22.4|HZ|realtime", "steps a second; `realtime` lets the game's own clock run");
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var steps = Number(
            "--steps", 16_860, "N", "at most this many steps; with api:RACE as many as it takes", 1, int.MaxValue);
        var seed = Number(
            "--seed", SimulatorDefaults.Seed, "N", "the game's random seed, here of a long match", 0, uint.MaxValue);
        var observations = Text(
            "--observations", null, "DIR", "a folder of observation files for the simulated game to answer with");
        var observe = Number("--observe", 0, "N", "whose eyes: a player id, or 0 for an observer of all", 0, 16);
        var forfeit = Flag(
            "--forfeit",
            "a side that no agent plays any more has lost (default: the match goes on, and agents may come back)");
        var game = new GameOptionSet();
        var api = new ApiOptionSet();
        var observed = new InterfaceOptionSet();
        var recording = new RecordingOptionSet();
        var session = new SessionOptionSet("match");

        var command = new Command("match", "Plays a match and streams it to agents.")
        {
            map, players, rate, stepSize, steps, seed, observations, observe, forfeit,
        };
        foreach (var option in game.Concat(api).Concat(observed).Concat(recording).Concat(session))
        {
            command.Add(option);
        }

        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            var settings = new MatchSettings
            {
                Map = parsed.GetValue(map)!,
                Players = parsed.GetValue(players) is { Length: > 0 } specs
                    ? [.. specs.Select(PlayerSpec.Parse)]
                    : new MatchSettings().Players,
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
            if (proxy is not null && parsed.GetResult(steps) is not { Implicit: false })
            {
                // The bot plays its match to the end, as it would without the bridge.
                settings = settings with { StepLimit = 0 };
            }

            var shared = session.Read(
                parsed,
                usualPolicy: proxy is not null || !settings.HasAgents ? "every"
                    : settings.Rate.Realtime ? "latest" : "lockstep");
            var played = game.Read(parsed) with { Observations = parsed.GetValue(observations) };
            return new StreamingSession(
                shared with { RecordingFile = recording.Read(parsed, shared.OutputFolder) }).RunAsync(
                say => new StreamedMatch
                {
                    Source = Source(settings, GameChooser.Choose(played, say), proxy is null ? null : proxy with { Say = say }),
                    Rate = settings.Rate,
                    Pace = new RatePace(settings.Rate),
                    StepLimit = settings.StepLimit,
                    Forfeits = parsed.GetValue(forfeit),
                    Advice = "Start the match again; what was logged until then is in",
                },
                cancellation);
        }));
        return command;
    }

    private static IGameSource Source(MatchSettings settings, ChosenGame game, ProxyOptions? proxy) => proxy is null
        ? game.Launch is { } launch
            ? new StarCraftSource(settings, launch)
            : new StarCraftSource(settings, game.Address!)
        : game.Launch is { } proxied
            ? new ProxySource(settings, proxied, proxy)
            : new ProxySource(settings, game.Address!, proxy);
}
