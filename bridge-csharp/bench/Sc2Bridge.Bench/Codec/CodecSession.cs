namespace Sc2Bridge.Bench;

/// <summary>One run of <c>sc2bridge codec</c>: what is measured one after the other, then printed and kept.</summary>
internal sealed class CodecSession(CodecOptions options)
{
    // The slow codecs see one step in so many of a quick run, and the compressors one in so many of a full one.
    private const int CodecStride = 4;
    private const int CompressorStride = 8;
    private const int WarmUp = 24;

    // Enough for a mean: pure Python takes half a second for an observation.
    private const int PeerSteps = 24;

    private readonly List<string> _left = [];

    /// <summary>Measures, prints, and writes what was asked for.</summary>
    internal async Task<int> RunAsync(CancellationToken ct)
    {
        using var json = ResultFile.Open(options.JsonFile);
        foreach (var python in options.Pythons)
        {
            await RequireAsync(python, ct);
        }

        var report = await MeasureAsync(ct);
        CodecTables.Print(Consoles.Make(), report);
        json?.Write(JsonReport.Text(report));
        return 0;
    }

    // What is missing is said before minutes are spent.
    private static async Task RequireAsync(string python, CancellationToken ct)
    {
        try
        {
            await new PythonPeer(python).CodecsAsync(null, [], ct);
        }
        catch (CommandException absent)
        {
            throw new CommandException(
                $"{python} cannot measure ({absent.Message}): name an interpreter that has the sc2bridge package with "
                + "--python, or leave the other languages out with --no-peers",
                absent);
        }
    }

    private async Task<CodecReport> MeasureAsync(CancellationToken ct)
    {
        var machine = Machine.Describe();
        var match = options.Match(ct);
        Say($"{match.Source}: {match.Describe()}");
        // A quick run keeps its steps; a full one plays the match again for each table, as it does not fit in memory.
        IEnumerable<MatchStep> steps = options.Full ? match : [.. match];
        var some = Some(steps, match.Count);
        var timed = options.Full ? steps : steps.Where(step => step.Index % CodecStride == 0 || match.Count < 64);
        Say("C#: protobuf and JSON");
        var codecs = CodecTimes.Measure(Codec.All(), some.Take(WarmUp), timed.Select(step => step.Observation)).ToList();
        var pythons = new List<PythonResult<CodecRow>>();
        if (options.Pythons is [var python, ..])
        {
            Say("Python: protobuf and JSON");
            var timedByPython = await new PythonPeer(python).CodecsAsync(
                null, timed.Select(step => step.Observation), ct);
            codecs.AddRange(timedByPython.Rows);
            await foreach (var result in EnginesAsync(some, ct))
            {
                pythons.Add(result);
            }
        }
        else
        {
            _left.Add("Python: not asked for");
        }

        Say("sizes, plain and compressed");
        var sizes = SizeTable.Measure(MessageFormat.All(), Compressors.All, CompressorStride, steps);
        return new CodecReport(
            options.Full,
            machine,
            $"{match.Source}: {match.Describe()}",
            codecs,
            sizes,
            pythons,
            _left);
    }

    // A few of the steps, spread evenly, the first and the last among them.
    private static List<byte[]> Some(IEnumerable<MatchStep> steps, int count)
    {
        var wanted = Math.Min(PeerSteps, count);
        var chosen = Enumerable.Range(0, wanted).Select(at => (int)((count - 1L) * at / Math.Max(1, wanted - 1)));
        var places = chosen.ToHashSet();
        return [.. steps.Where((_, place) => places.Contains(place)).Select(step => step.Observation)];
    }

    private async IAsyncEnumerable<PythonResult<CodecRow>> EnginesAsync(
        List<byte[]> some, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct)
    {
        foreach (var python in options.Pythons)
        {
            foreach (var implementation in PythonPeer.Implementations)
            {
                Say($"{python}: protobuf's engine {implementation}");
                PythonResult<CodecRow>? result = null;
                try
                {
                    result = await new PythonPeer(python).CodecsAsync(implementation, some, ct);
                }
                catch (CommandException absent)
                {
                    _left.Add($"protobuf's engine {implementation} of {python}: {absent.Message}");
                }

                // Asked for an engine that it lacks, protobuf may take another.
                if (result?.Runtime.Implementation == implementation)
                {
                    yield return result;
                }
                else if (result is not null)
                {
                    _left.Add($"protobuf's engine {implementation}: {result.Runtime} has none");
                }
            }
        }
    }

    private static void Say(string what) => Console.Error.WriteLine($"sc2bridge codec: {what} …");
}
