using SC2APIProtocol;

namespace Sc2Bridge.Bench;

/// <summary>One run of <c>sc2bridge codec</c>: what is measured one after the other, then printed and kept.</summary>
internal sealed class CodecSession(CodecOptions options)
{
    // The slow codecs see one step in so many of a quick run, and the compressors one in so many of a full one.
    private const int CodecStride = 4;
    private const int CompressorStride = 8;
    private const int WarmUp = 24;

    private const int Rotating = 60;

    // Enough for a mean: pure Python takes half a second for an observation.
    private const int PeerSteps = 24;

    private static readonly TimeSpan MessageTime = TimeSpan.FromMilliseconds(20);

    private readonly List<string> _left = [];

    private string Painter => options.Pythons is [var python, ..] ? python : PythonInterpreter.Find(null);

    /// <summary>Measures, prints, and writes what was asked for.</summary>
    internal async Task<int> RunAsync(CancellationToken ct)
    {
        ResultFile.CheckApart([options.JsonFile, options.PictureFile], []);
        using var json = ResultFile.Open(options.JsonFile);
        using var picture = ResultFile.Open(options.PictureFile);
        foreach (var python in options.Pythons)
        {
            await RequireAsync(python, ct);
        }

        if (picture is not null)
        {
            await PythonScripts.CheckDrawingAsync(Painter, picture.Path, ct);
        }

        var report = await MeasureAsync(ct);
        CodecTables.Print(Consoles.Make(), report);
        var text = JsonReport.Text(report);
        json?.Write(text);
        if (picture is not null)
        {
            await DrawAsync(text, picture, ct);
        }

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
        var (first, last) = (some[0], some[^1]);

        var timed = options.Full ? steps : steps.Where(step => step.Index % CodecStride == 0 || match.Count < 64);
        Say("C#: protobuf and JSON");
        var codecs = CodecTimes.Measure(Codec.All(), some.Take(WarmUp), timed.Select(step => step.Observation)).ToList();
        var pythons = new List<PythonResult<CodecRow>>();
        IReadOnlyList<UnitTableRow> units = [];
        if (options.Pythons is [var python, ..])
        {
            Say("Python: protobuf and JSON");
            var timedByPython = await new PythonPeer(python).CodecsAsync(
                null, timed.Select(step => step.Observation), ct);
            codecs.AddRange(timedByPython.Rows);
            Say("Python: the unit table as protobuf, JSON and CSV");
            units = (await new PythonPeer(python).UnitsAsync(some, ct)).Rows;
            await foreach (var result in EnginesAsync(some, ct))
            {
                pythons.Add(result);
            }
        }
        else
        {
            _left.Add("Python: not asked for");
        }

        var node = await NodeAsync(some, ct);
        Say("sizes, plain and compressed");
        var sizes = SizeTable.Measure(MessageFormat.All(), Compressors.All, CompressorStride, steps);
        Say("JSON in the styles of several libraries");
        var ratios = JsonRatios.Measure(Parse(first), Late(some), Real());
        Say("small, medium and large messages");
        var messages = options.Full
            ? BenchmarkedMessages.Measure()
            : MessageTable.Measure(MessageOperation.Of(MessageCase.All(first, last)), MessageTime);
        Say("the project's goals, along the match and along the worst-case sequence");
        var goals = await GoalsAsync(steps, ct);
        return new CodecReport(
            options.Full,
            machine,
            $"{match.Source}: {match.Describe()}",
            codecs,
            PublishedFigures.Times,
            PublishedFigures.Machine,
            sizes,
            ratios,
            units,
            messages,
            pythons,
            node,
            goals,
            _left);
    }

    private Task<IReadOnlyList<GoalRow>> GoalsAsync(IEnumerable<MatchStep> steps, CancellationToken ct)
    {
        var late = SimulatedFrames.Late(options.LateSteps, ct).All;
        var apart = SimulatedFrames.Make(Math.Min(Rotating, options.LateSteps), ct).All;
        var worst = WorstCaseFrames.Make(options.LateSteps, WorstCaseFrames.Seed, ct).All;
        var match = options.Full
    ? steps.Select(step => step.Observation).Chunk(late.Count)
    : GoalTable.Again(late);
        var python = options.Pythons is [var first, ..] ? new PythonPeer(first) : null;
        return new GoalTable(match, apart, late, worst, MeasuredFrames.Real()).MeasureAsync(python, _left.Add, ct);
    }

    // A few of the steps, spread evenly, the first and the last among them.
    private static List<byte[]> Some(IEnumerable<MatchStep> steps, int count)
    {
        var wanted = Math.Min(PeerSteps, count);
        var chosen = Enumerable.Range(0, wanted).Select(at => (int)((count - 1L) * at / Math.Max(1, wanted - 1)));
        var places = chosen.ToHashSet();
        return [.. steps.Where((_, place) => places.Contains(place)).Select(step => step.Observation)];
    }

    // As large as those that the ratio was published for; where there is none, the largest.
    private static List<ResponseObservation> Late(IReadOnlyCollection<byte[]> some)
    {
        const int smallest = (int)(133.61 * 1024);
        var late = some.Where(bytes => bytes.Length >= smallest).ToList();
        return [.. (late.Count > 0 ? late : [some.MaxBy(bytes => bytes.Length)!]).Select(Parse)];
    }

    private static List<ResponseObservation> Real() =>
        [.. MeasuredFrames.Real().Select(Parse)];

    private static ResponseObservation Parse(byte[] bytes) => ResponseObservation.Parser.ParseFrom(bytes);

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

    private async Task<NodeResult?> NodeAsync(List<byte[]> some, CancellationToken ct)
    {
        if (!options.Node)
        {
            _left.Add("Node: not asked for");
            return null;
        }

        Say("Node: protobufjs and JSON");
        try
        {
            return await NodePeer.MeasureAsync(some, ct);
        }
        catch (CommandException absent)
        {
            _left.Add($"Node: {absent.Message}");
            return null;
        }
    }

    private async Task DrawAsync(string report, ResultFile picture, CancellationToken ct)
    {
        Say($"drawing {picture.Path}");
        await PythonScripts.DrawAsync(Painter, report, picture.Path, ct);
        picture.Keep();
    }

    private static void Say(string what) => Console.Error.WriteLine($"sc2bridge codec: {what} …");
}
