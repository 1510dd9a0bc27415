using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge record</c>: replays into recordings.</summary>
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
            CustomParser = Players,
            HelpName = "N",
            Description = "whose observations: a player id, or 0 for an observer of all; once for each (default: players 1 and 2)",
        };
        var jobs = Number("--jobs", Math.Clamp(Environment.ProcessorCount / 2, 1, 4), "N", "games at the same time", 1, 64);
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var map = GameReplayOptionSet.ReplayMap();
        var json = Json("the results");
        var logLevel = SessionOptionSet.LogLevelOption(LogLevel.None);
        var game = new GameOptionSet();
        var observed = new InterfaceOptionSet();
        var publish = new PublishOptionSet();
        var command = new DocumentedCommand(
            "record", "Turns replays into recordings, one for each player (`match` records what it plays). Recordings that exist are not made again.")
        {
            Examples = [("both players of all replays in a folder", "record ~/replays --out recordings")],
            Common = [folder, observe, jobs, stepSize],
        };
        command.Add(replays);
        command.Add([new("recordings", folder, observe, jobs, stepSize, map, json), .. observed.Groups, .. publish.Groups, new("logs", logLevel), .. game.Groups]);

        command.SetAction((parsed, cancellation) => Failures.ReportAsync(async () =>
        {
            var options = game.Read(parsed);
            var atOnce = (int)parsed.GetValue(jobs);
            if (options.Attach is not null || options.Port != 0)
            {
                // One game, or one port: one after the other.
                atOnce = OptionSet.IsGiven(parsed, jobs) && atOnce > 1
                    ? throw new CommandException("--attach and --game-port name one game: leave out --jobs")
                    : 1;
            }

            var settings = new ReplaySettings
            {
                StepSize = (uint)parsed.GetValue(stepSize),
                MapFile = parsed.GetValue(map),
                DisableFog = observed.DisableFog(parsed),
                Interface = observed.Read(parsed),
            };
            settings.Validate();
            var plan = RecordPlan.Make(
                parsed.GetValue(replays)!, parsed.GetValue(observe) ?? [], parsed.GetValue(folder)!);
            ResultFile.CheckApart(
                [parsed.GetValue(json)],
                [.. plan.SelectMany(pass => ((string?, string)[])[(pass.Replay, "a replay to record"), (pass.File, "a recording")])]);
            using var results = ResultFile.Open(parsed.GetValue(json));
            return await new RecordSession(
                plan, settings, options, atOnce, parsed.GetValue(folder)!, parsed.GetValue(logLevel), publish.Read(parsed), results)
                .RunAsync(cancellation);
        }));
        return command;
    }

    private static uint[]? Players(ArgumentResult result)
    {
        const uint most = 16;
        var players = new List<uint>();
        foreach (var text in result.Tokens.Select(token => token.Value))
        {
            if (!uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var player) || player > most)
            {
                result.AddError($"--observe {text}: write a player id, a whole number from 0 to {most}");
                return null;
            }

            players.Add(player);
        }

        return [.. players];
    }
}
