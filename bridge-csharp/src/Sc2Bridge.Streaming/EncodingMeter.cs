using System.Diagnostics.Metrics;

namespace Sc2Bridge.Streaming;

/// <summary>Times the encoding of frames; the tags are made once.</summary>
internal static class EncodingMeter
{
    /// <summary>The name of all of the bridge's meters.</summary>
    public const string Name = "Sc2Bridge";

    /// <summary>The bounds of a histogram of times: from 10 µs to 10 s, three a decade.</summary>
    public static readonly InstrumentAdvice<double> Times = new()
    {
        HistogramBucketBoundaries =
        [
            .. Enumerable.Range(-5, 6).SelectMany(ten => new[] { 1, 2, 5 }.Select(one => one * Math.Pow(10, ten))), 10,
        ],
    };

    private static readonly Meter _meter = new(Name);

    private static readonly Histogram<double> _duration = _meter.CreateHistogram<double>(
        "sc2bridge.encoding.duration", "s", "making one form of a frame for its subscribers", tags: null, Times);

    private static readonly KeyValuePair<string, object?>[] _tags =
    [
        .. new[] { "other", "json", "observation_json", "columns", "gzip", "zstd", "group_zstd", "group_zstd" }
            .Select(name => new KeyValuePair<string, object?>("encoding", name)),
    ];

    /// <summary>An encoding was made.</summary>
    public static void Record(EncodingKind kind, long elapsedNs) => _duration.Record(elapsedNs / 1e9, _tags[(int)kind]);
}
