using SC2APIProtocol;

namespace Sc2Bridge.Bench;

/// <summary>How many times larger than protobuf the JSON of one style is.</summary>
/// <param name="Style">The style.</param>
/// <param name="First">Of the match's first observation.</param>
/// <param name="Least">The least, of late observations.</param>
/// <param name="Most">The greatest, of late observations.</param>
/// <param name="Real">Of the real messages at hand, on average; null where there are none.</param>
/// <param name="InPublishedRange">Whether late observations lie in the published range, both ends.</param>
internal sealed record JsonRatio(
    string Style, double First, double Least, double Most, double? Real, bool InPublishedRange);

/// <summary>
/// Looks for what explains the published ratio of JSON's size to protobuf's: the same observations in each style.
/// </summary>
internal static class JsonRatios
{
    /// <summary>Measures.</summary>
    /// <param name="first">The match's first observation.</param>
    /// <param name="late">Observations as large as those that the ratio was published for.</param>
    /// <param name="real">Real messages; may be none.</param>
    public static IReadOnlyList<JsonRatio> Measure(
        ResponseObservation first,
        IReadOnlyCollection<ResponseObservation> late,
        IReadOnlyCollection<ResponseObservation> real)
    {
        return [.. JsonStyle.All.Select(style =>
        {
            double[] ratios = [.. late.Select(message => Ratio(style, message))];
            return new JsonRatio(
                style.Name,
                Ratio(style, first),
                ratios.Min(),
                ratios.Max(),
                real.Count == 0 ? null : real.Average(message => Ratio(style, message)),
                ratios.Min() >= PublishedFigures.LeastRatio
                    && ratios.Max() <= PublishedFigures.GreatestRatio);
        })];
    }

    private static double Ratio(JsonStyle style, ResponseObservation message) =>
        (double)style.Size(message) / message.CalculateSize();
}
