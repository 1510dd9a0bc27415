namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Numbers measured over a match: all of them up to <see cref="Kept"/>, and from then on a uniform sample of that many
/// (reservoir, fixed seed), so that an endless match needs no more memory. Count, least, greatest and mean stay exact.
/// Not thread-safe.
/// </summary>
public sealed class Samples
{
    /// <summary>The most values kept: a match of 16,860 steps fits four times (512 KiB).</summary>
    public const int Kept = 65_536;

    private readonly List<double> _values = [];
    private readonly Random _random = new(1);
    private double _sum;

    /// <summary>How many were added.</summary>
    public long Count { get; private set; }

    /// <summary>The least; NaN where there is none.</summary>
    public double Min { get; private set; } = double.NaN;

    /// <summary>The greatest; NaN where there is none.</summary>
    public double Max { get; private set; } = double.NaN;

    /// <summary>The plain mean; NaN where there is none.</summary>
    public double Mean => _sum / Count;

    /// <summary>Adds one.</summary>
    public void Add(double value)
    {
        Min = Count == 0 ? value : Math.Min(Min, value);
        Max = Count == 0 ? value : Math.Max(Max, value);
        _sum += value;
        Count++;
        if (_values.Count < Kept)
        {
            _values.Add(value);
        }
        else if (_random.NextInt64(Count) is < Kept and var place)
        {
            _values[(int)place] = value;
        }
    }

    /// <summary>
    /// The 25 % trimmed mean: an eighth of the values is dropped at each end. NaN where there is none.
    /// </summary>
    public double TrimmedMean()
    {
        var sorted = Sorted();
        var drop = sorted.Length / 8;
        var kept = sorted.AsSpan(drop, sorted.Length - (2 * drop));
        var sum = 0.0;
        foreach (var value in kept)
        {
            sum += value;
        }

        return sum / kept.Length;
    }

    /// <summary>A percentile by nearest rank; NaN where there is no value.</summary>
    /// <param name="percent">Above 0, up to 100.</param>
    public double Percentile(double percent)
    {
        var sorted = Sorted();
        var rank = (int)Math.Ceiling(percent / 100 * sorted.Length);
        return sorted.Length == 0 ? double.NaN : sorted[Math.Clamp(rank - 1, 0, sorted.Length - 1)];
    }

    private double[] Sorted()
    {
        var sorted = _values.ToArray();
        Array.Sort(sorted);
        return sorted;
    }
}
