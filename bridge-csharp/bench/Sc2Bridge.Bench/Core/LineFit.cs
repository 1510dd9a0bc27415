namespace Sc2Bridge.Bench;

/// <summary>The straight line through measured points by least squares: a figure's growth with a number.</summary>
/// <param name="At0">The figure at 0.</param>
/// <param name="ForEach">What each one more adds.</param>
/// <param name="R2">How much of what the figures differ by the line explains: 1 is all.</param>
internal readonly record struct LineFit(double At0, double ForEach, double R2)
{
    /// <summary>Fits; NaN where there are not two different numbers.</summary>
    public static LineFit Of(IReadOnlyCollection<(double X, double Y)> points)
    {
        var (x, y) = (points.Average(point => point.X), points.Average(point => point.Y));
        var xx = points.Sum(point => (point.X - x) * (point.X - x));
        var xy = points.Sum(point => (point.X - x) * (point.Y - y));
        var yy = points.Sum(point => (point.Y - y) * (point.Y - y));
        return new LineFit(y - (xy / xx * x), xy / xx, xy * xy / (xx * yy));
    }
}
