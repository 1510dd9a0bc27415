using System.Diagnostics.Metrics;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Measures the time and size of encodings of frames. The metric tags are created once.</summary>
internal static class EncodingMeter
{
    /// <summary>The name of all of the bridge's OpenTelemetry meters.</summary>
    public const string MeterName = "Sc2Bridge";

    /// <summary>The bucket bounds for histograms of times: from 10 µs to 10 s, three per decade.</summary>
    public static readonly InstrumentAdvice<double> TimeBuckets = new()
    {
        HistogramBucketBoundaries =
        [
            .. Enumerable.Range(-5, 6).SelectMany(exponent => new[] { 1, 2, 5 }.Select(factor => factor * Math.Pow(10, exponent))), 10,
        ],
    };

    private static readonly Meter _meter = new(MeterName);

    private static readonly Histogram<double> _duration = _meter.CreateHistogram<double>(
        "sc2bridge.encoding.duration", "s", "time to make one encoding of a frame", tags: null, TimeBuckets);

    private static readonly string[] _encodingNames =
        ["other", "json", "observation_json", "columns", "gzip", "zstd", "group_zstd", "group_zstd"];

    private static readonly KeyValuePair<string, object?>[] _tags =
        [.. _encodingNames.Select(name => new KeyValuePair<string, object?>("encoding", name))];

    private static readonly Total[] _totals = new Total[EncodingFigures.KindCount];

    public static void Record(EncodingKind kind, long elapsedNs, int bytes)
    {
        _duration.Record(elapsedNs / 1e9, _tags[(int)kind]);
        ref var total = ref _totals[(int)kind];
        Interlocked.Increment(ref total.Count);
        Interlocked.Add(ref total.TimeNs, elapsedNs);
        Interlocked.Add(ref total.Bytes, bytes);
    }

    /// <summary>The encodings made since the program started. A kind without an encoding is left out.</summary>
    public static IEnumerable<EncodingStatus> Totals() => _encodingNames.Zip(_totals).GroupBy(kind => kind.First).Select(kinds => new EncodingStatus
    {
        Encoding = kinds.Key,
        Count = (ulong)kinds.Sum(kind => kind.Second.Count),
        TimeNs = kinds.Sum(kind => kind.Second.TimeNs),
        Bytes = (ulong)kinds.Sum(kind => kind.Second.Bytes),
    }).Where(kind => kind.Count > 0);

    private struct Total
    {
        public long Count;
        public long TimeNs;
        public long Bytes;
    }
}
