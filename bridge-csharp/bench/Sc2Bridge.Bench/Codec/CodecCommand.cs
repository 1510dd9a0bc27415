using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Bench;

/// <summary>The options of <c>sc2bridge codec</c>.</summary>
internal static class CodecCommand
{
    internal static Command Create()
    {
        var full = Flag("--full", "every step of the match, and messages by BenchmarkDotNet: takes about an hour");
        var recording = Text(
            "--recording", null, "FILE", "measure over this recording (.mcap); else over a simulated match");
        var json = Text("--json", null, "FILE", "write the results there too");
        var picture = Text("--picture", null, "FILE.png", "draw the results there (needs matplotlib)");
        var pythons = new Option<string[]>("--python")
        {
            HelpName = "PATH",
            Description = "a Python interpreter with the sc2bridge package; once for each (default: the one that was "
                + "set up); the first times the match, each is asked for every protobuf engine that it has",
        };
        var noPeers = Flag("--no-peers", "measure C# alone, without Python and Node");
        // For tests: seconds are many for a machine that is busy with them.
        var steps = Number("--steps", CodecOptions.QuickSteps, "N", "measured steps of the match", 2, 100_000);
        steps.Hidden = true;

        var command = new Command("codec", "Measures the codecs and compressions over a match.")
        {
            full, recording, json, picture, pythons, noPeers, steps,
        };
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            var options = new CodecOptions
            {
                Full = parsed.GetValue(full),
                Recording = parsed.GetValue(recording),
                JsonFile = parsed.GetValue(json),
                PictureFile = parsed.GetValue(picture),
                Pythons = parsed.GetValue(noPeers)
                    ? []
                    : parsed.GetValue(pythons) is { Length: > 0 } named ? named : [PythonInterpreter.Find(null)],
                Node = !parsed.GetValue(noPeers),
                Steps = (int)parsed.GetValue(steps),
            };
            if (parsed.GetValue(noPeers) && parsed.GetValue(pythons) is { Length: > 0 })
            {
                throw new CommandException("--no-peers contradicts --python: leave one out");
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

    /// <summary>Every step, and BenchmarkDotNet.</summary>
    internal bool Full { get; init; }

    /// <summary>The recording whose steps are measured; null for a simulated match.</summary>
    internal string? Recording { get; init; }

    /// <summary>Where the results go as JSON; null for nowhere.</summary>
    internal string? JsonFile { get; init; }

    /// <summary>Where the picture goes; null for nowhere.</summary>
    internal string? PictureFile { get; init; }

    /// <summary>Python interpreters; none for no Python.</summary>
    internal IReadOnlyList<string> Pythons { get; init; } = [];

    /// <summary>Whether Node is measured.</summary>
    internal bool Node { get; init; }

    /// <summary>Steps of a quick run.</summary>
    internal int Steps { get; init; }

    /// <summary>Late steps, and of the worst case, that goals are measured on.</summary>
    internal int LateSteps => Math.Min(WorstCaseFrames.Count, Full ? WorstCaseFrames.Count : Steps * 2);

    /// <summary>The steps that are measured.</summary>
    internal IMeasuredMatch Match(CancellationToken ct) =>
        Recording is not null ? new RecordedSteps(Recording, Full ? null : Steps, LongestRun, ct)
        : Full ? MatchSteps.Whole(ct)
        : new MatchSteps(Math.Max(1, Steps / LongestRun), Math.Min(Steps, LongestRun), ct);
}
