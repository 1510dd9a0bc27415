using System.Globalization;

namespace Sc2Bridge.Bench;

/// <summary>Something that this project wants to reach, and how far it is.</summary>
/// <param name="Name">What is measured, with its unit.</param>
/// <param name="Bound">The least that is wanted, or the most.</param>
/// <param name="AtLeast">Whether <paramref name="Bound"/> is the least.</param>
/// <param name="Match">Measured on the simulated match, or on what the goal speaks of; null where it was not.</param>
/// <param name="WorstCase">Measured on the worst-case sequence; null where it was not, or says nothing.</param>
/// <param name="Beside">What was measured in the same run to compare with; empty where nothing was.</param>
internal sealed record GoalRow(
    string Name, double Bound, bool AtLeast, double? Match, double? WorstCase, string Beside = "")
{
    /// <summary>Whether the match's figure reaches it; the worst-case one stands beside. Null where it was not
    /// measured.</summary>
    public bool? Reached => Match is { } measured ? (AtLeast ? measured >= Bound : measured <= Bound) : null;
}

/// <summary>Measures what this project wants to reach, along the match and along the worst-case sequence.</summary>
/// <param name="match">The match, turn by turn: its late steps again and again, or all steps once.</param>
/// <param name="apart">Observations as large as the goals speak of, some loops apart.</param>
/// <param name="late">Consecutive late steps.</param>
/// <param name="worst">The worst sequence.</param>
/// <param name="real">Real observations; may be none.</param>
internal sealed class GoalTable(
    IEnumerable<IReadOnlyList<byte[]>> match,
    IReadOnlyList<byte[]> apart,
    IReadOnlyList<byte[]> late,
    IReadOnlyList<byte[]> worst,
    IReadOnlyList<byte[]> real)
{
    private const int Rounds = 5;

    /// <summary>Measures.</summary>
    /// <param name="python">The interpreter that numpy's half is measured with; null for none.</param>
    /// <param name="left">Takes what could not be measured.</param>
    /// <param name="ct">Gives up.</param>
    public async Task<IReadOnlyList<GoalRow>> MeasureAsync(
        PythonPeer? python, Action<string> left, CancellationToken ct)
    {
        List<GoalRow> rows = [.. Json()];
        ct.ThrowIfCancellationRequested();
        rows.AddRange(Zstd());
        rows.Add(new GoalRow(
            "columns ms to write",
            0.1,
            false,
            ColumnsSpeed.WriteMs(apart, Rounds),
            ColumnsSpeed.WriteMs(worst, 1)));
        if (python is not null)
        {
            try
            {
                rows.Add(await NumpyAsync(python, ct));
            }
            catch (CommandException absent)
            {
                left($"columns in Python: {absent.Message}");
            }
        }

        return rows;
    }

    /// <summary>What is measured on few frames is measured on them again and again.</summary>
    public static IEnumerable<IReadOnlyList<byte[]>> Again(IReadOnlyList<byte[]> frames) =>
        Enumerable.Repeat(frames, Rounds);

    private static string Ms(double value) => value.ToString("0.000", CultureInfo.InvariantCulture);

    private IEnumerable<GoalRow> Json()
    {
        const string times = "JSON × JsonFormatter";
        var (alone, worstAlone) = (Alone(apart), Alone([.. worst.Take(apart.Count)]));
        yield return new GoalRow(
            $"{times}: late frames", 12, true, alone.Times, worstAlone.Times, Beside(alone));
        if (real.Count > 0)
        {
            var own = Alone(real);
            yield return new GoalRow($"{times}: real messages", 8, true, own.Times, null, Beside(own));
        }

        var (along, worstAlong) = (
            JsonSpeed.Measure(match, reuse: true), JsonSpeed.Measure(Again(worst), reuse: true));
        yield return new GoalRow(
            $"{times}: along the match", 40, true, along.Times, worstAlong.Times, Beside(along));
        yield return new GoalRow(
            "JSON bytes allocated a frame", 0, false, along.AllocatedBytes, worstAlong.AllocatedBytes);

        static JsonSpeed Alone(IReadOnlyList<byte[]> frames) =>
            JsonSpeed.Measure(Again(frames), reuse: false);

        static string Beside(JsonSpeed speed) =>
            $"{Ms(speed.OursMs)} ms beside {Ms(speed.StockMs)} ms of JsonFormatter";
    }

    private IEnumerable<GoalRow> Zstd()
    {
        var (own, hard) = (GroupRow(late), GroupRow(worst));
        yield return new GoalRow("group zstd × fewer bytes", 30, true, own.TimesFewer, hard.TimesFewer);
        yield return new GoalRow(
            "group zstd ms to compress", 0.3, false, own.CompressMs, hard.CompressMs);
        yield return new GoalRow(
            "group zstd ms to decompress", 0.1, false, own.DecompressMs, hard.DecompressMs);
    }

    private static SizeRow GroupRow(IReadOnlyList<byte[]> observations) => SizeTable.Measure(
        [new MessageFormat("protobuf", observation => observation)],
        () => [new GroupZstd()],
        1,
        observations.Select((observation, index) => new MatchStep(index, 0, observation)))[^1];

    private async Task<GoalRow> NumpyAsync(PythonPeer python, CancellationToken ct)
    {
        var own = await python.ColumnsAsync(ColumnsSpeed.WithColumns(late), ct);
        var hard = await python.ColumnsAsync(ColumnsSpeed.WithColumns(worst), ct);
        return new GoalRow(
            "columns ms to 12 fields in numpy",
            0.05,
            false,
            own.NumpyMs,
            hard.NumpyMs,
            $"{Ms(own.LoopMs)} ms for a Python loop over parsed messages");
    }
}
