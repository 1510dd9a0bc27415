namespace Sc2Bridge.Bench;

/// <summary>A logarithmic axis: from 0 at its low end to 1 at its high end.</summary>
internal sealed class LogScale
{
    private static readonly double[] Steps = [1, 2, 5];

    private readonly double _low;
    private readonly double _high;

    /// <param name="values">What it shows; what is not positive does not count.</param>
    public LogScale(IEnumerable<double> values)
    {
        var shown = values.Where(value => double.IsFinite(value) && value > 0).ToList();
        (_low, _high) = shown.Count > 0 ? (Below(shown.Min()), Above(shown.Max())) : (1, 10);
        if (_low >= _high)
        {
            _high = _low * 10;
        }
    }

    /// <summary>Where a value stands, from 0 to 1.</summary>
    public double At(double value) => double.IsFinite(value) && value > 0
        ? Math.Clamp((Math.Log10(value) - Math.Log10(_low)) / (Math.Log10(_high) - Math.Log10(_low)), 0, 1)
        : 0;

    /// <summary>Round values along it: at most so many, evenly far apart, its ends among them.</summary>
    public IReadOnlyList<double> Ticks(int most)
    {
        var all = Rounds().ToList();
        for (var stride = 1; ; stride++)
        {
            var kept = all.Where((_, index) => (all.Count - 1 - index) % stride == 0).ToList();
            if (kept.Count <= most)
            {
                return kept;
            }
        }
    }

    private static double Below(double value) => Round(value, last: true);

    private static double Above(double value) => Round(value, last: false);

    // 1, 2 or 5 times a power of ten, next to a value.
    private static double Round(double value, bool last)
    {
        var power = Math.Pow(10, Math.Floor(Math.Log10(value)) - 1);
        var rounds = Enumerable.Range(0, 4).SelectMany(more => Steps.Select(step => step * power * Math.Pow(10, more)));
        return last ? rounds.Last(round => round <= value) : rounds.First(round => round >= value);
    }

    private IEnumerable<double> Rounds()
    {
        for (var power = Math.Pow(10, Math.Floor(Math.Log10(_low))); power <= _high; power *= 10)
        {
            foreach (var step in Steps)
            {
                // The same digits by another way may differ in the last of them.
                if (step * power >= _low * 0.999 && step * power <= _high * 1.001)
                {
                    yield return step * power;
                }
            }
        }
    }
}
