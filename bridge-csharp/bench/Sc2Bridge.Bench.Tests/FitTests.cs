using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Least squares: what the sums must obey whatever was measured.</summary>
public sealed class FitTests
{
    [Fact]
    public void Residuals_sum_to_nothing_and_do_not_lean_on_the_load() => Prop.ForAll(
        Points(),
        points =>
        {
            var residuals = Fit.Line(points).Residuals;
            var size = points.Max(point => Math.Abs(point.Y)) * points.Max(point => point.X) * points.Length;
            return Math.Abs(residuals.Sum()) <= 1e-9 * size
                && Math.Abs(residuals.Zip(points, (residual, point) => residual * point.X).Sum()) <= 1e-9 * size;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void No_other_line_has_smaller_squares() => Prop.ForAll(
        Points(),
        Gen.Choose(-100, 100).Two().ToArbitrary(),
        (points, other) =>
        {
            var fit = Fit.Line(points);
            var another = fit with { Fixed = fit.Fixed + other.Item1, PerUnit = fit.PerUnit + (other.Item2 / 50.0) };
            return Squares(fit, points) <= Squares(another, points) * (1 + 1e-9) && fit.R2 is >= -1e-9 and <= 1;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void A_line_is_found_again() => Prop.ForAll(
        Points(),
        Gen.Choose(-1000, 1000).Two().ToArbitrary(),
        (points, line) =>
        {
            var exact = points.Select(point => point with { Y = line.Item1 + (line.Item2 * point.X) }).ToList();
            var fit = Fit.Of(exact)!;
            return fit.IsLine && Near(fit.Fixed, line.Item1) && Near(fit.PerUnit, line.Item2) && Near(fit.R2, 1)
                && fit.Residuals.All(residual => Near(residual, 0));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void A_power_law_is_found_again_and_preferred_to_a_line() => Prop.ForAll(
        Gen.Choose(1, 500).Two().ToArbitrary(),
        law =>
        {
            var (factor, exponent) = (law.Item1 / 10.0, 1.5 + (law.Item2 / 250.0));
            double[] loads = [1, 2, 4, 8, 16, 32, 64];
            var fit = Fit.Of([.. loads.Select(x => new FitPoint(x, factor * Math.Pow(x, exponent)))])!;
            return !fit.IsLine && fit.Fixed == 0 && Near(fit.PerUnit / factor, 1) && Near(fit.Exponent, exponent)
                && Near(fit.R2, 1);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void In_another_unit_it_is_the_same_cost() => Prop.ForAll(
        Points(),
        Gen.Choose(1, 1000).ToArbitrary(),
        (points, unit) =>
        {
            var fit = Fit.Line(points);
            var other = Fit.Line([.. points.Select(point => point with { Y = point.Y * unit })]);
            return points.All(point => Near(other.At(point.X) / unit, fit.At(point.X))) && Near(fit.R2, other.R2);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Two_loads_are_too_few_and_costs_that_are_alike_are_a_level_line()
    {
        Assert.Null(Fit.Of([]));
        Assert.Null(Fit.Of([new(1, 5), new(2, 7), new(2, 9)]));
        var level = Fit.Of([new(1, 5), new(2, 5), new(9, 5)])!;
        Assert.Equal((5.0, 0.0, 1.0), (level.Fixed, level.PerUnit, level.R2));
        Assert.Null(Fit.Power([new(1, 0), new(2, 5), new(3, 5)]));
    }

    [Theory]
    [InlineData(17.512, 0.01156, 1, "17.5 + 0.0116 · x (R² 0.988)")]
    [InlineData(-0.5, -7823.4, 1, "-0.5 − 7823 · x (R² 0.988)")]
    [InlineData(0, 12.34, 1.5, "12.3 · x^1.50 (R² 0.988)")]
    public void A_person_reads_three_digits(double constant, double perUnit, double exponent, string words) =>
        Assert.Equal(words, new Fit(constant, perUnit, exponent, 0.988, []).Words("x"));

    private static double Squares(Fit fit, FitPoint[] points) =>
        points.Sum(point => Math.Pow(point.Y - fit.At(point.X), 2));

    private static bool Near(double value, double other) => Math.Abs(value - other) <= 1e-6 * (1 + Math.Abs(other));

    // At least three different loads.
    private static Arbitrary<FitPoint[]> Points() =>
    (
        from costs in Gen.Choose(-100_000, 100_000).NonEmptyListOf()
        from loads in Gen.Choose(1, 5_000).ListOf(costs.Count)
        select costs.Zip(loads, (cost, load) => new FitPoint(load / 4.0, cost / 16.0)).ToArray()
    ).Where(points => points.DistinctBy(point => point.X).Count() >= Fit.FewestLoads).ToArbitrary();
}
