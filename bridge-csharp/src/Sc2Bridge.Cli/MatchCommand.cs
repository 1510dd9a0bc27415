using System.CommandLine;
using Sc2Bridge.Games;
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
            Description = "a player: computer:RACE:DIFFICULTY, or agent:RACE, whom agents play over the bridge; once for "
                + "each (default: Elites, Terran and Zerg)",
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
        var recording = Text(
            "--recording", null, "FILE", "where the recording goes (default: match.mcap in the output folder)");
        var noRecording = Flag("--no-recording", "record nothing");
        var session = new SessionOptionSet("match");

        var command = new Command("match", "Plays a match and streams it to agents.")
        {
            map, players, rate, stepSize, steps, seed, game, attach, observations, observe, gamePort, startDeadline,
            disableFog, noScore, featureLayers, crop, cloaked, burrowed, placeholders, recording, noRecording,
        };
        foreach (var option in session)
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
            var shared = session.Read(
                parsed,
                usualPolicy: !settings.HasAgents ? "every" : settings.Rate.Realtime ? "latest" : "lockstep");
            var options = new MatchOptions
            {
                Settings = settings,
                Game = parsed.GetValue(game),
                Attach = parsed.GetValue(attach),
                GamePort = (int)parsed.GetValue(gamePort),
                StartDeadline = parsed.GetValue(startDeadline),
                Observations = parsed.GetValue(observations),
                Session = shared with
                {
                    RecordingFile = RecordingFile(
                        parsed.GetValue(recording), parsed.GetValue(noRecording), shared.OutputFolder),
                },
            };
            return new StreamingSession(options.Session).RunAsync(
                say => new StreamedMatch
                {
                    Source = GameChooser.Choose(options, say),
                    Rate = settings.Rate,
                    Pace = new RatePace(settings.Rate),
                    StepLimit = settings.StepLimit,
                    Advice = "Start the match again; what was logged until then is in",
                },
                cancellation);
        }));
        return command;
    }

    private static string? RecordingFile(string? named, bool none, string folder) => (named, none) switch
    {
        (not null, true) => throw new CommandException("--no-recording contradicts --recording: leave one out"),
        (_, true) => null,
        _ => named ?? Path.Combine(folder, "match.mcap"),
    };
}
