using System.Globalization;
using Sc2Bridge.Measuring.Peers;
using Sc2Bridge.Measuring.Sizes;

namespace Sc2Bridge.Measuring.Goals;

/// <summary>Measures what this project wants to reach, along the match and along the harsh sequence.</summary>
/// <param name="match">The match, turn by turn: its late steps again and again, or all steps once.</param>
/// <param name="apart">Observations as large as the goals speak of, some loops apart.</param>
/// <param name="late">Consecutive late steps.</param>
/// <param name="harsh">The harsh sequence.</param>
/// <param name="real">Real observations; may be none.</param>
public sealed class GoalTable(
    IEnumerable<IReadOnlyList<byte[]>> match,
    IReadOnlyList<byte[]> apart,
    IReadOnlyList<byte[]> late,
    IReadOnlyList<byte[]> harsh,
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
        ArgumentNullException.ThrowIfNull(left);
        List<GoalRow> rows = [.. Json()];
        ct.ThrowIfCancellationRequested();
        rows.AddRange(Zstd());
        rows.Add(new GoalRow(
            "columns, ms to write an observation",
            0.1,
            false,
            ColumnsSpeed.WriteMs(apart, Rounds),
            ColumnsSpeed.WriteMs(harsh, 1)));
        if (python is not null)
        {
            try
            {
                rows.Add(await NumpyAsync(python, ct));
            }
            catch (MeasuringException absent)
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
        const string times = "JSON, times faster than JsonFormatter";
        var (alone, harshAlone) = (Alone(apart), Alone([.. harsh.Take(apart.Count)]));
        yield return new GoalRow(
            $"{times}: single late frames", 12, true, alone.Times, harshAlone.Times, Beside(alone));
        if (real.Count > 0)
        {
            var own = Alone(real);
            yield return new GoalRow($"{times}: real messages", 8, true, own.Times, null, Beside(own));
        }

        var (along, harshAlong) = (
            JsonSpeed.Measure(match, reuse: true), JsonSpeed.Measure(Again(harsh), reuse: true));
        yield return new GoalRow(
            $"{times}: along the match, text reused", 40, true, along.Times, harshAlong.Times, Beside(along));
        yield return new GoalRow(
            "JSON, bytes allocated a frame", 0, false, along.AllocatedBytes, harshAlong.AllocatedBytes);

        static JsonSpeed Alone(IReadOnlyList<byte[]> frames) =>
            JsonSpeed.Measure(Again(frames), reuse: false);

        static string Beside(JsonSpeed speed) =>
            $"{Ms(speed.OursMs)} ms beside {Ms(speed.StockMs)} ms of JsonFormatter";
    }

    private IEnumerable<GoalRow> Zstd()
    {
        var (own, hard) = (GroupRow(late), GroupRow(harsh));
        yield return new GoalRow("group zstd, times fewer bytes", 30, true, own.TimesFewer, hard.TimesFewer);
        yield return new GoalRow(
            "group zstd, ms to compress a frame", 0.3, false, own.CompressMs, hard.CompressMs);
        yield return new GoalRow(
            "group zstd, ms to decompress a frame", 0.03, false, own.DecompressMs, hard.DecompressMs);
    }

    private static SizeRow GroupRow(IReadOnlyList<byte[]> observations) => SizeTable.Measure(
        [new MessageFormat("protobuf", observation => observation)],
        () => [new GroupZstd()],
        1,
        observations.Select((observation, index) => new MatchStep(index, 0, observation)))[^1];

    private async Task<GoalRow> NumpyAsync(PythonPeer python, CancellationToken ct)
    {
        var own = await python.ColumnsAsync(ColumnsSpeed.WithColumns(late), ct);
        var hard = await python.ColumnsAsync(ColumnsSpeed.WithColumns(harsh), ct);
        return new GoalRow(
            "columns, ms to have 12 fields in numpy",
            0.05,
            false,
            own.NumpyMs,
            hard.NumpyMs,
            $"{Ms(own.LoopMs)} ms for a Python loop over parsed messages");
    }
}
