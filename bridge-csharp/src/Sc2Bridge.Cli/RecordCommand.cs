using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge record</c>: turns replays into recordings.</summary>
internal static class RecordCommand
{
    internal static DocumentedCommand Create()
    {
        var replays = new Argument<string[]>("REPLAYS")
        {
            Description = "replays (.SC2Replay), and folders of them",
            Arity = ArgumentArity.OneOrMore,
        };
        var folder = Text("--out", Path.Combine("out", "record"), "DIR", "the folder of the recordings");
        var observe = new Option<uint[]>("--observe")
        {
            CustomParser = ParsePlayers,
            HelpName = "N",
            Description = "the perspective: a player id, or 0 for an observer of all; repeat the option for each perspective (default: players 1 and 2)",
        };
        var jobs = Number("--jobs", Math.Clamp(Environment.ProcessorCount / 2, 1, 4), "N", "how many games run at once", 1, 64, "half the cores, from 1 to 4");
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var map = GameReplayOptionSet.CreateMapOption();
        var json = Json("the results");
        var logLevel = SessionOptionSet.CreateLogLevelOption(LogLevel.None);
        var game = new GameOptionSet();
        var interfaceOptions = new InterfaceOptionSet();
        var publish = new PublishOptionSet();
        var command = new DocumentedCommand(
            "record", "Turns replays into recordings, one for each player (`match` records what it plays). Recordings that exist are not made again.")
        {
            Examples = [("both players of all replays in a folder", "record ~/replays --out recordings")],
            CommonOptions = [folder, observe, jobs, stepSize],
        };
        command.Add(replays);
        command.Add([new("recordings", folder, observe, jobs, stepSize, map, json), .. interfaceOptions.Groups, .. publish.Groups, new("logs", logLevel), .. game.Groups]);

        command.SetAction(async (parsed, cancellation) =>
        {
            var options = game.Read(parsed);
            var atOnce = (int)parsed.GetValue(jobs);
            if (options.Attach is not null || options.Port != 0)
            {
                // With one game or one port, replays are recorded one after the other.
                atOnce = OptionSet.IsGiven(parsed, jobs) && atOnce > 1
                    ? throw new CommandException("--attach and --game-port name one game, which records one replay at a time: leave out --jobs")
                    : 1;
            }

            var settings = new ReplaySettings
            {
                StepSize = (uint)parsed.GetValue(stepSize),
                MapFile = parsed.GetValue(map),
                DisableFog = interfaceOptions.ReadDisableFog(parsed),
                Interface = interfaceOptions.Read(parsed),
            };
            settings.Validate();
            var plan = RecordPlan.Make(
                parsed.GetValue(replays)!, parsed.GetValue(observe) ?? [], parsed.GetValue(folder)!);
            ResultFile.CheckDistinct(
                [parsed.GetValue(json)],
                [.. plan.SelectMany(pass => ((string?, string)[])[(pass.Replay, "a replay to record"), (pass.File, "a recording")])]);
            using var results = ResultFile.Open(parsed.GetValue(json));
            return await new RecordSession(
                plan, settings, options, atOnce, parsed.GetValue(folder)!, parsed.GetValue(logLevel), publish.Read(parsed), results)
                .RunAsync(cancellation);
        });
        return command;
    }

    private static uint[]? ParsePlayers(ArgumentResult result)
    {
        const uint highest = 16;
        var players = new List<uint>();
        foreach (var text in result.Tokens.Select(token => token.Value))
        {
            if (!uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var player) || player > highest)
            {
                result.AddError($"--observe {text}: write a player id, a whole number from 0 to {highest}");
                return null;
            }

            players.Add(player);
        }

        return [.. players];
    }
}
