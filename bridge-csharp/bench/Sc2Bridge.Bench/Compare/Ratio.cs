using System.Text.Json.Serialization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// One measurement in times another: the ratio within each round, as what disturbs a round disturbs both, and of those the
/// median, the least and the most.
/// </summary>
/// <param name="Rounds">How many rounds both have.</param>
/// <param name="Median">The middle ratio.</param>
/// <param name="Least">The smallest.</param>
/// <param name="Most">The largest.</param>
internal sealed record Ratio(int Rounds, double Median, double Least, double Most)
{
    /// <summary>Fewer rounds tell nothing of what chance does.</summary>
    public const int FewestRounds = 3;

    /// <summary>
    /// Whether chance explains it: some rounds had it one way and some the other, or there were too few to know.
    /// </summary>
    public bool WithinNoise => Rounds < FewestRounds || (Least <= 1 && Most >= 1);

    /// <summary>As a person reads it.</summary>
    [JsonIgnore]
    public string Text => Number(Median) + (WithinNoise ? " (within the noise)" : $" ({Ends})");

    /// <summary>The least and the most as a person reads them.</summary>
    [JsonIgnore]
    public string Ends => $"{Number(Least)}–{Number(Most)}";

    /// <summary>Two digits behind the point, of a very small ratio more.</summary>
    public static string Number(double ratio) => ratio < 0.01 ? Invariant($"{ratio:0.####}") : Invariant($"{ratio:0.00}");

    /// <summary>A figure of one measurement in times the same of another.</summary>
    /// <returns>Null where no round has both.</returns>
    public static Ratio? Of(Figure figure, IEnumerable<MeasurementRun> runs, IEnumerable<MeasurementRun> others)
    {
        var ratios = runs
            .Join(others, run => run.Round, other => other.Round, (run, other) => figure.Get(run) / figure.Get(other))
            .OfType<double>()
            .Where(double.IsFinite)
            .ToList();
        if (ratios.Count == 0)
        {
            return null;
        }

        var spread = Spread.Of(ratios);
        return new Ratio(ratios.Count, spread.Median, spread.Least, spread.Most);
    }
}
