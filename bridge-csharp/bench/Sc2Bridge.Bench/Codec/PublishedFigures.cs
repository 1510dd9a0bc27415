namespace Sc2Bridge.Bench;

/// <summary>
/// Figures that were published on the same question: two built-in Elite computers on Cinder Fortress LE, observed for
/// 16,860 steps, saved to disk, then timed on an i5-5200U at 2.20 GHz with 8 GB under Windows 10; C# with
/// Google.Protobuf's JsonFormatter and JsonParser, Python with protobuf and json_format. The mean is a 25 % trimmed
/// mean.
/// </summary>
internal static class PublishedFigures
{
    /// <summary>What was measured on.</summary>
    public const string Machine = "i5-5200U, 2.20 GHz, Windows 10";

    /// <summary>Published sizes on Trozinia LE in KiB: protobuf 133.61 to 169.01, JSON 959.55 to 1534.51.</summary>
    public const double LeastRatio = 959.55 / 133.61;

    /// <summary>The greatest published ratio of JSON's size to protobuf's.</summary>
    public const double GreatestRatio = 1534.51 / 169.01;

    /// <summary>The times.</summary>
    public static IReadOnlyList<CodecRow> Times { get; } =
    [
        Row("C#", "protobuf", "Google.Protobuf", (0.326, 1.00, 27.899), (0.125, 0.544, 16.609)),
        Row("C#", "JSON", "JsonFormatter, JsonParser", (2.722, 9.092, 94.574), (6.911, 18.326, 124.808)),
        Row("Python", "protobuf", "protobuf", (11.007, 23.788, 126.089), (10.007, 24.220, 124.089)),
        Row("Python", "JSON", "json_format", (19.995, 38.021, 171.122), (23.997, 46.635, 218.156)),
    ];

    private static CodecRow Row(
        string language,
        string format,
        string library,
        (double Min, double Mean, double Max) write,
        (double Min, double Mean, double Max) read) => new(
            language,
            format,
            library,
            new Times(MatchSteps.MatchLength, write.Min, write.Mean, write.Max),
            new Times(MatchSteps.MatchLength, read.Min, read.Mean, read.Max));
}
