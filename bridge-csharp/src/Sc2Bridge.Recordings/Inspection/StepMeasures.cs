using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>Collects sizes and times of steps, for the whole match and for each segment of the match. The memory is limited.</summary>
internal sealed class StepMeasures
{
    // Enough segments to see the course of a match, and few enough so that each segment shows the mean of many steps.
    private const int MostSegments = 256;

    private const string Bytes = "bytes";
    private const string Microseconds = "us";

    private static readonly Measure ObservationSize = new("protobuf", Bytes, _ => null);
    private static readonly Measure StoredSize = new("stored", Bytes, _ => null);
    private static readonly Measure AnswerTime = new("the game's answer", Microseconds, _ => null);

    // ObservationSize, StoredSize and AnswerTime come from observations, because the rows of the step log may be missing.
    private static readonly Measure[] All =
    [
        ObservationSize,
        StoredSize,
        new("JSON", Bytes, row => row.HasJsonBytes ? row.JsonBytes : null),
        new("group zstd", Bytes, row => row.HasZstdBytes ? row.ZstdBytes : null),
        new("columns", Bytes, row => row.HasColumnsBytes ? row.ColumnsBytes : null),
        AnswerTime,
        new("protobuf write", Microseconds, row => row.HasProtoSerializeUs ? row.ProtoSerializeUs : null),
        new("protobuf read", Microseconds, row => row.HasProtoParseUs ? row.ProtoParseUs : null),
        new("JSON write", Microseconds, row => row.HasJsonWriteUs ? row.JsonWriteUs : null),
        new("JSON read", Microseconds, row => row.HasJsonParseUs ? row.JsonParseUs : null),
    ];

    private readonly Samples[] _samples = [.. All.Select(_ => new Samples())];
    private List<Segment> _segments = [];
    // Each segment has 2^_shift steps.
    private int _shift;

    /// <summary>Adds an observation.</summary>
    /// <param name="observation">The observation.</param>
    /// <param name="gameLoop">The observation's game loop.</param>
    /// <param name="storedBytes">The observation's compressed size in the file.</param>
    public void Add(in RecordedObservation observation, uint gameLoop, double storedBytes)
    {
        var segment = SegmentOf(observation.Step);
        segment.GameLoop ??= gameLoop;
        Add(segment, ObservationSize, observation.Bytes.Length);
        Add(segment, StoredSize, storedBytes);
        if (observation.ObservedNs > observation.RequestedNs)
        {
            Add(segment, AnswerTime, (observation.ObservedNs - observation.RequestedNs) / 1e3);
        }
    }

    /// <summary>Adds a row of the step log.</summary>
    public void Add(StepRecord row)
    {
        var segment = SegmentOf(row.Step);
        foreach (var measure in All)
        {
            if (measure.ValueOf(row) is { } value)
            {
                Add(segment, measure, value);
            }
        }
    }

    /// <summary>The statistics of the whole match.</summary>
    public IReadOnlyList<MeasureRow> Rows() =>
    [
        .. All.Zip(_samples).Where(pair => pair.Second.Count > 0).Select(pair => new MeasureRow(
            pair.First.Name, pair.First.Unit, pair.Second.Count, pair.Second.Min, pair.Second.Percentile(50),
            pair.Second.Percentile(90), pair.Second.Percentile(99), pair.Second.Max, pair.Second.Mean,
            pair.Second.TrimmedMean())),
    ];

    /// <summary>The values in each segment of the match.</summary>
    public AlongMatch Along()
    {
        var measured = _segments.Select((segment, at) => (Segment: segment, Step: (ulong)at << _shift))
            .Where(segment => segment.Segment.Figures.Any(figure => figure.Count > 0))
            .ToList();
        return new AlongMatch(
            [.. measured.Select(segment => segment.Step)],
            [.. measured.Select(segment => segment.Segment.GameLoop)],
            [
                .. All.Select((measure, at) => (Measure: measure, At: at))
                    .Where(measure => _samples[measure.At].Count > 0)
                    .Select(measure => new AlongSeries(
                        measure.Measure.Name,
                        measure.Measure.Unit,
                        [.. measured.Select(segment => segment.Segment.Figures[measure.At].Mean)],
                        [.. measured.Select(segment => segment.Segment.Figures[measure.At].Highest)])),
            ]);
    }

    private void Add(Segment segment, Measure measure, double value)
    {
        var at = Array.IndexOf(All, measure);
        _samples[at].Add(value);
        segment.Figures[at].Add(value);
    }

    // Returns the segment of a step. Doubles the number of steps in each segment if there are too many segments.
    private Segment SegmentOf(ulong step)
    {
        while (step >> _shift >= MostSegments)
        {
            _segments = [.. _segments.Chunk(2).Select(pair => pair.Aggregate(Segment.Merge))];
            _shift++;
        }

        var segment = (int)(step >> _shift);
        while (_segments.Count <= segment)
        {
            _segments.Add(new Segment());
        }

        return _segments[segment];
    }

    private sealed record Measure(string Name, string Unit, Func<StepRecord, double?> ValueOf);

    private sealed class Segment
    {
        public uint? GameLoop { get; set; }

        public Figure[] Figures { get; } = new Figure[All.Length];

        public static Segment Merge(Segment one, Segment next)
        {
            one.GameLoop ??= next.GameLoop;
            for (var at = 0; at < one.Figures.Length; at++)
            {
                one.Figures[at].Add(next.Figures[at]);
            }

            return one;
        }
    }

    private struct Figure
    {
        private double _sum;
        private double _max;

        public long Count { get; private set; }

        public readonly double? Mean => Count == 0 ? null : _sum / Count;

        public readonly double? Highest => Count == 0 ? null : _max;

        public void Add(double value)
        {
            _sum += value;
            _max = Math.Max(_max, value);
            Count++;
        }

        public void Add(in Figure other)
        {
            _sum += other._sum;
            _max = Math.Max(_max, other._max);
            Count += other.Count;
        }
    }
}
