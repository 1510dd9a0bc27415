using System.CommandLine;
using System.CommandLine.Parsing;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming.Logging;
using static Sc2Bridge.Cli.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of <c>sc2bridge match</c>.</summary>
internal static class MatchCommand
{
    private const string Watcher = "sc2bridge.agents:Watcher";

    internal static Command Create()
    {
        var map = Text("--map", "Cinder Fortress LE", "NAME", "the map, as people write it, or a path to a map file");
        var players = new Option<string[]>("--player")
        {
            HelpName = "SPEC",
            Description = "a player: computer:RACE:DIFFICULTY; once for each (default: Elites, Terran and Zerg)",
        };
        var rate = Text(
            "--rate", "max", "max|16|22.4|HZ|realtime", "steps a second; `realtime` lets the game's own clock run");
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var steps = Number("--steps", 16_860, "N", "at most this many steps", 1, int.MaxValue);
        var seed = Number(
            "--seed", SimulatorDefaults.Seed, "N", "the game's random seed, here of a long match", 0, uint.MaxValue);
        var game = new Option<GameChoice>("--game") { Description = "which game to play on (default: auto)" };
        var attach = Text("--attach", null, "HOST:PORT", "a game that runs already, also on another machine");
        var observations = Text(
            "--observations", null, "DIR", "a folder of observation files for the simulated game to answer with");
        var observe = Number("--observe", 0, "N", "whose eyes: a player id, or 0 for an observer of all", 0, 16);
        var gamePort = Number(
            "--game-port", 0, "PORT", "the port that the started game listens on, 0 for a free one", 0, 65_535);
        var startDeadline = Seconds(
            "--start-deadline", null, "how long the game may take to start (default: StarCraft II 180, simulated 60)");
        var disableFog = Flag("--disable-fog", "see through the fog of war (perspectives other than 0)");
        var noScore = Flag("--no-score", "leave the score out of observations");
        var featureLayers = Text(
            "--feature-layers", null, "SCREEN[,MINIMAP]", "add feature layers of so many pixels: 84x84,64x64");
        var crop = Flag("--crop", "crop map images to the playable area");
        var cloaked = Flag("--show-cloaked", "show cloaked units");
        var burrowed = Flag("--show-burrowed-shadows", "show the shadows of burrowed units");
        var placeholders = Flag("--show-placeholders", "show buildings that are about to be placed");
        var agents = new Option<AgentSpec[]>("--agent")
        {
            HelpName = "MODULE:CLASS[@grpc|json|proto[+columns][+deflate|zstd|group-zstd]]",
            Description = "a Python agent to start, and its transport (default: one watcher on gRPC and one on JSON)",
            CustomParser = ParseAgents,
            Arity = ArgumentArity.OneOrMore,
        };
        var noAgents = Flag("--no-agents", "start no agent");
        var policy = Text("--policy", "every", "every|latest|lockstep", "the policy of the started agents");
        policy.AcceptOnlyFromAmong("every", "latest", "lockstep");
        var wait = Number("--wait", 0, "N", "wait for N subscribers that others start", 0, 10_000);
        var python = Text("--python", null, "PATH", "the Python interpreter for agents");
        var folder = Text("--out", null, "DIR", "where the logs go (default: out/match-TIME)");
        var grpc = Text("--grpc", "127.0.0.1:50051", "ADDR", "the gRPC server: HOST:PORT or unix:PATH");
        var web = Text("--web", "127.0.0.1:8765", "ADDR", "the WebSocket server: HOST:PORT");
        var origins = new Option<string[]>("--allow-origin")
        {
            HelpName = "ORIGIN",
            Description = "a web page's origin that may connect to the WebSocket",
        };
        var deflate = Flag("--deflate", "give permessage-deflate to WebSocket clients that offer it (smaller, slower)");
        var deadline = Seconds(
            "--lockstep-deadline", TimeSpan.FromSeconds(10),
            "how long a step waits for a lockstep agent (default: 10)");
        var codecLog = new Option<CodecLog>("--codec-log")
        {
            Description = "what the log times: `sampled` is the stock JSON on one step in 16 (default: sampled)",
            DefaultValueFactory = _ => CodecLog.Sampled,
        };
        var json = Text("--json", null, "FILE", "write the summary there too");

        var command = new Command("match", "Plays a match and streams it to agents.")
        {
            map, players, rate, stepSize, steps, seed, game, attach, observations, observe, gamePort, startDeadline,
            disableFog, noScore, featureLayers, crop, cloaked, burrowed, placeholders,
            agents, noAgents, policy, wait, python, folder, grpc, web, origins, deflate, deadline, codecLog, json,
        };
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
                DisableFog = parsed.GetValue(disableFog),
                Interface = new InterfaceSettings
                {
                    Score = !parsed.GetValue(noScore),
                    FeatureLayers = parsed.GetValue(featureLayers) is { } size ? SpatialSettings.Parse(size) : null,
                    RawCropToPlayableArea = parsed.GetValue(crop),
                    ShowCloaked = parsed.GetValue(cloaked),
                    ShowBurrowedShadows = parsed.GetValue(burrowed),
                    ShowPlaceholders = parsed.GetValue(placeholders),
                },
            };
            settings.Validate();
            var options = new MatchOptions
            {
                Settings = settings,
                Game = parsed.GetValue(game),
                Attach = parsed.GetValue(attach),
                GamePort = (int)parsed.GetValue(gamePort),
                StartDeadline = parsed.GetValue(startDeadline),
                Observations = parsed.GetValue(observations),
                Agents = Agents(parsed.GetValue(agents) ?? [], parsed.GetValue(noAgents)),
                Policy = parsed.GetValue(policy)!,
                WaitFor = (int)parsed.GetValue(wait),
                Python = parsed.GetValue(python),
                OutputFolder = parsed.GetValue(folder) ?? MatchOptions.FolderFor(DateTime.Now),
                GrpcAddress = parsed.GetValue(grpc)!,
                WebAddress = parsed.GetValue(web)!,
                AllowedOrigins = parsed.GetValue(origins) ?? [],
                AllowDeflate = parsed.GetValue(deflate),
                LockstepDeadline = parsed.GetValue(deadline)!.Value,
                CodecLog = parsed.GetValue(codecLog),
                JsonFile = parsed.GetValue(json),
            };
            return new MatchSession(options).RunAsync(cancellation);
        }));
        return command;
    }

    private static AgentSpec[] Agents(AgentSpec[] named, bool none) => (named, none) switch
    {
        ({ Length: > 0 }, true) => throw new CommandException("--no-agents contradicts --agent: leave one out"),
        (_, true) => [],
        ({ Length: > 0 }, false) => named,
        _ => [new(Watcher, "grpc"), new(Watcher, "json")],
    };

    private static AgentSpec[]? ParseAgents(ArgumentResult result)
    {
        try
        {
            return [.. result.Tokens.Select(token => AgentSpec.Parse(token.Value))];
        }
        catch (FormatException error)
        {
            result.AddError($"--agent: {error.Message}");
            return null;
        }
    }
}
