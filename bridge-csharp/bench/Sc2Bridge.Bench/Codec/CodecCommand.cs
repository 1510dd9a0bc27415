using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Bench;

/// <summary>The results of <c>sc2bridge codec</c>.</summary>
/// <param name="Full">True for every step of the match, false for samples.</param>
/// <param name="Machine">The machine.</param>
/// <param name="Pythons">The interpreters.</param>
/// <param name="Match">The match, and its measured steps.</param>
/// <param name="Codecs">Times over the match.</param>
/// <param name="Sizes">Sizes plain and compressed, rates, and link speeds.</param>
internal sealed record CodecReport(
    bool Full, Machine Machine, IReadOnlyList<PythonRuntime> Pythons, string Match, IReadOnlyList<CodecRow> Codecs,
    IReadOnlyList<SizeRow> Sizes);

/// <summary>The command <c>sc2bridge codec</c>: codecs and compressions over a match.</summary>
internal static class CodecCommand
{
    // Steps that a quick run takes: seven runs of consecutive ones, each a group of compressed frames.
    private const int QuickSteps = 448;
    private const int LongestRun = 64;

    // The slow codecs see one step in so many of a quick run, and the compressors one in so many of a full one.
    private const int CodecStride = 4;
    private const int CompressorStride = 8;
    private const int WarmUp = 24;

    internal static Command Create()
    {
        var quick = Flag("--quick", "a sample of the match, within a minute, as without --full");
        var full = Flag("--full", "every step of the match: takes about half an hour");
        var recording = Text("--recording", null, "FILE", "measure over this recording (.mcap); else over a simulated match");
        var pythons = BenchCommand.Pythons();
        var noPeers = Flag("--no-peers", "measure C# alone, without Python");

        // For tests: the usual number takes seconds, and many on a busy machine.
        var steps = Number("--steps", QuickSteps, "N", "measured steps of the match", 2, 100_000);
        steps.Hidden = true;
        return BenchCommand.Create(
            "codec",
            "Measures the codecs and compressions over a match.",
            [quick, full, recording, pythons, noPeers, steps],
            async (parsed, ct) =>
            {
                var (isFull, count, named) = (parsed.GetValue(full), (int)parsed.GetValue(steps), parsed.GetValue(pythons));
                Refuse(parsed.GetValue(noPeers) && named is { Length: > 0 }, "--no-peers contradicts --python: leave one out");
                Refuse(isFull && parsed.GetValue(quick), "--full contradicts --quick: leave one out");
                Refuse(isFull && count != QuickSteps, "--full takes every step of the match: leave --steps out");
                var interpreters = parsed.GetValue(noPeers) ? [] : BenchCommand.Named(named);
                await PythonPeer.RequireAsync(interpreters, ct);
                var match = parsed.GetValue(recording) is { } file ? MeasuredMatch.Recorded(file, isFull ? null : count, LongestRun, ct)
                    : isFull ? MeasuredMatch.Simulated(1, SimulatedMatch.Length, ct)
                    : MeasuredMatch.Simulated(Math.Max(1, count / LongestRun), Math.Min(count, LongestRun), ct);
                return await MeasureAsync(match, isFull, interpreters, ct);
            },
            CodecTables.Print);
    }

    private static async Task<CodecReport> MeasureAsync(
        MeasuredMatch match, bool isFull, IReadOnlyList<string> interpreters, CancellationToken ct)
    {
        Failures.MarkCommandBegun();
        var machine = Machine.Describe();
        var name = $"{match.Source}: {match.Describe()}";
        Say(name);

        // A quick run keeps its steps; a full one plays the match again for each table, as it does not fit in memory.
        IEnumerable<MatchStep> steps = isFull ? match : [.. match];
        var timed = steps.Where(step => isFull || step.Index % CodecStride == 0 || match.Count < LongestRun)
            .Select(step => step.Observation);
        Say("codecs in C#");
        var codecs = CodecTimes.Measure(Codec.All(), timed.Take(WarmUp), timed).ToList();
        List<PythonRuntime> runtimes = [];
        foreach (var python in interpreters)
        {
            Say($"codecs in {python}");
            var measured = await PythonPeer.CodecsAsync(python, timed, ct);
            runtimes.Add(measured.Runtime);
            var language = interpreters.Count == 1 ? "Python" : $"Python {runtimes.Count}";
            codecs.AddRange(measured.Rows.Select(row => row with { Language = language }));
        }

        Say("sizes, plain and compressed");
        var sizes = SizeTable.Measure(CompressorStride, steps);
        return new CodecReport(isFull, machine, runtimes, name, codecs, sizes);
    }

    private static void Refuse(bool isWrong, string problem)
    {
        if (isWrong)
        {
            throw new CommandException(problem);
        }
    }

    private static void Say(string what) => Printing.PrintMessage($"sc2bridge codec: {what} …");
}
