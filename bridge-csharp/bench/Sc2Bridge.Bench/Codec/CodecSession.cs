namespace Sc2Bridge.Bench;

/// <summary>Everything that <c>sc2bridge codec</c> measured.</summary>
/// <param name="Full">Every step of the match; else samples.</param>
/// <param name="Machine">On what.</param>
/// <param name="Pythons">With which interpreters.</param>
/// <param name="Match">Which steps of which match.</param>
/// <param name="Codecs">Times over the match.</param>
/// <param name="Sizes">Sizes plain and compressed, rates, and link speeds.</param>
internal sealed record CodecReport(
    bool Full,
    Machine Machine,
    IReadOnlyList<PythonRuntime> Pythons,
    string Match,
    IReadOnlyList<CodecRow> Codecs,
    IReadOnlyList<SizeRow> Sizes);

/// <summary>One run of <c>sc2bridge codec</c>: what is measured one after the other, then printed and kept.</summary>
internal sealed class CodecSession(CodecOptions options)
{
    // The slow codecs see one step in so many of a quick run, and the compressors one in so many of a full one.
    private const int CodecStride = 4;
    private const int CompressorStride = 8;
    private const int WarmUp = 24;

    /// <summary>Measures, prints, and writes what was asked for.</summary>
    internal async Task<int> RunAsync(CancellationToken ct)
    {
        using var json = ResultFile.Open(options.JsonFile);
        await PythonPeer.RequireAsync(options.Pythons, ct);
        var report = await MeasureAsync(ct);
        CodecTables.Print(Consoles.Make(), report);
        json?.Write(JsonReport.Text(report));
        return 0;
    }

    private async Task<CodecReport> MeasureAsync(CancellationToken ct)
    {
        var machine = Machine.Describe();
        var match = options.Match(ct);
        var name = $"{match.Source}: {match.Describe()}";
        Say(name);

        // A quick run keeps its steps; a full one plays the match again for each table, as it does not fit in memory.
        IEnumerable<MatchStep> steps = options.Full ? match : [.. match];
        var timed = steps.Where(step => options.Full || step.Index % CodecStride == 0 || match.Count < 64)
            .Select(step => step.Observation);
        Say("codecs in C#");
        var codecs = CodecTimes.Measure(Codec.All(), timed.Take(WarmUp), timed).ToList();
        List<PythonRuntime> runtimes = [];
        foreach (var python in options.Pythons)
        {
            Say($"codecs in {python}");
            var measured = await PythonPeer.CodecsAsync(python, timed, ct);
            runtimes.Add(measured.Runtime);
            var language = options.Pythons.Count == 1 ? "Python" : $"Python {runtimes.Count}";
            codecs.AddRange(measured.Rows.Select(row => row with { Language = language }));
        }

        Say("sizes, plain and compressed");
        var sizes = SizeTable.Measure(MessageFormat.All(), ICompressor.All, CompressorStride, steps);
        return new CodecReport(options.Full, machine, runtimes, name, codecs, sizes);
    }

    private static void Say(string what) => Console.Error.WriteLine($"sc2bridge codec: {what} …");
}
