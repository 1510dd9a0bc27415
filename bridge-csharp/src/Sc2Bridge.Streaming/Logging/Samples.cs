namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Collects measured numbers of a match. It keeps the first <see cref="MaxKept"/> numbers, and then a uniform random sample
/// of that size (reservoir sampling, fixed seed), so the memory is bounded. Count, minimum, maximum and mean stay exact. Not
/// thread-safe.
/// </summary>
public sealed class Samples
{
    /// <summary>The size of the sample: almost four matches of 16,860 steps fit (512 KiB).</summary>
    public const int MaxKept = 65_536;

    private readonly List<double> _values = [];
    private readonly Random _random = new(1);
    private double _sum;

    /// <summary>The number of values added.</summary>
    public long Count { get; private set; }

    /// <summary>The minimum; NaN if there are no values.</summary>
    public double Min { get; private set; } = double.NaN;

    /// <summary>The maximum; NaN if there are no values.</summary>
    public double Max { get; private set; } = double.NaN;

    /// <summary>The arithmetic mean; NaN if there are no values.</summary>
    public double Mean => _sum / Count;

    /// <summary>Adds a value.</summary>
    public void Add(double value)
    {
        Min = Count == 0 ? value : Math.Min(Min, value);
        Max = Count == 0 ? value : Math.Max(Max, value);
        _sum += value;
        Count++;
        if (_values.Count < MaxKept)
        {
            _values.Add(value);
        }
        else if (_random.NextInt64(Count) is < MaxKept and var place)
        {
            _values[(int)place] = value;
        }
    }

    /// <summary>The 25 % trimmed mean: an eighth of the values is dropped at each end. NaN if there are no values.</summary>
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

    /// <summary>A percentile by nearest rank; NaN if there are no values.</summary>
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
