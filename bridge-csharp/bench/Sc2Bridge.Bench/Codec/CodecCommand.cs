using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Bench;

/// <summary>The options of <c>sc2bridge codec</c>.</summary>
internal static class CodecCommand
{
    internal static Command Create()
    {
        var quick = Flag("--quick", "a sample of the match, within a minute, as without --full");
        var full = Flag("--full", "every step of the match: takes about half an hour");
        var recording = Text(
            "--recording", null, "FILE", "measure over this recording (.mcap); else over a simulated match");
        var json = Text("--json", null, "FILE", "write the results there too");
        var pythons = new Option<string[]>("--python")
        {
            HelpName = "PATH",
            Description = "a Python interpreter with the sc2bridge package; once for each (default: the one that was "
                + "set up)",
        };
        var noPeers = Flag("--no-peers", "measure C# alone, without Python");
        // For tests: seconds are many for a machine that is busy with them.
        var steps = Number("--steps", CodecOptions.QuickSteps, "N", "measured steps of the match", 2, 100_000);
        steps.Hidden = true;

        var command = new Command("codec", "Measures the codecs and compressions over a match.")
        {
            quick, full, recording, json, pythons, noPeers, steps,
        };
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            var options = new CodecOptions
            {
                Full = parsed.GetValue(full),
                Recording = parsed.GetValue(recording),
                JsonFile = parsed.GetValue(json),
                Pythons = parsed.GetValue(noPeers)
                    ? []
                    : parsed.GetValue(pythons) is { Length: > 0 } named ? named : [PythonInterpreter.Find(null)],
                Steps = (int)parsed.GetValue(steps),
            };
            if (parsed.GetValue(noPeers) && parsed.GetValue(pythons) is { Length: > 0 })
            {
                throw new CommandException("--no-peers contradicts --python: leave one out");
            }

            if (options.Full && parsed.GetValue(quick))
            {
                throw new CommandException("--full contradicts --quick: leave one out");
            }

            if (options.Full && options.Steps != CodecOptions.QuickSteps)
            {
                throw new CommandException("--full takes every step of the match: leave --steps out");
            }

            return new CodecSession(options).RunAsync(cancellation);
        }));
        return command;
    }
}

/// <summary>What <c>sc2bridge codec</c> was asked for.</summary>
internal sealed record CodecOptions
{
    /// <summary>Steps that a quick run takes: seven runs of consecutive ones, each a group of compressed frames.</summary>
    internal const int QuickSteps = 448;

    private const int LongestRun = 64;

    internal bool Full { get; init; }
    internal string? Recording { get; init; }
    internal string? JsonFile { get; init; }
    internal IReadOnlyList<string> Pythons { get; init; } = [];
    internal int Steps { get; init; }

    internal MeasuredMatch Match(CancellationToken ct) =>
        Recording is not null ? RecordedSteps.Open(Recording, Full ? null : Steps, LongestRun, ct)
        : Full ? MatchSteps.Whole(ct)
        : new MatchSteps(Math.Max(1, Steps / LongestRun), Math.Min(Steps, LongestRun), ct);
}
