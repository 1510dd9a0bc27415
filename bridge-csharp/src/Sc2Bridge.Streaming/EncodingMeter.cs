using System.Diagnostics.Metrics;
using Sc2Bridge.V1;

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

    private static readonly string[] _names =
        ["other", "json", "observation_json", "columns", "gzip", "zstd", "group_zstd", "group_zstd"];

    private static readonly KeyValuePair<string, object?>[] _tags =
        [.. _names.Select(name => new KeyValuePair<string, object?>("encoding", name))];

    private static readonly Total[] _totals = new Total[EncodingFigures.Kinds];

    public static void Record(EncodingKind kind, long elapsedNs, int bytes)
    {
        _duration.Record(elapsedNs / 1e9, _tags[(int)kind]);
        ref var total = ref _totals[(int)kind];
        Interlocked.Increment(ref total.Made);
        Interlocked.Add(ref total.TimeNs, elapsedNs);
        Interlocked.Add(ref total.Bytes, bytes);
    }

    /// <summary>What was made since the program began, of each kind of which any was.</summary>
    public static IEnumerable<EncodingStatus> Totals() => _names.Zip(_totals).GroupBy(kind => kind.First).Select(kinds => new EncodingStatus
    {
        Encoding = kinds.Key,
        Count = (ulong)kinds.Sum(kind => kind.Second.Made),
        TimeNs = kinds.Sum(kind => kind.Second.TimeNs),
        Bytes = (ulong)kinds.Sum(kind => kind.Second.Bytes),
    }).Where(kind => kind.Count > 0);

    private struct Total
    {
        public long Made;
        public long TimeNs;
        public long Bytes;
    }
}
