using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>Gathers sizes and times of steps, over the whole match and along it; bounded in memory.</summary>
internal sealed class StepMeasures
{
    // Enough to see a match's course, and few enough for each to be a mean of many steps.
    private const int MostPlaces = 256;

    private const string Bytes = "bytes";
    private const string Microseconds = "us";

    private static readonly Measure Size = new("protobuf", Bytes, _ => null);
    private static readonly Measure Stored = new("stored", Bytes, _ => null);
    private static readonly Measure Answer = new("the game's answer", Microseconds, _ => null);

    // What observations tell themselves is not taken from the rows: these may be missing.
    private static readonly Measure[] All =
    [
        Size,
        Stored,
        new("JSON", Bytes, row => row.HasJsonBytes ? row.JsonBytes : null),
        new("group zstd", Bytes, row => row.HasZstdBytes ? row.ZstdBytes : null),
        new("columns", Bytes, row => row.HasColumnsBytes ? row.ColumnsBytes : null),
        Answer,
        new("protobuf write", Microseconds, row => row.HasProtoSerializeUs ? row.ProtoSerializeUs : null),
        new("protobuf read", Microseconds, row => row.HasProtoParseUs ? row.ProtoParseUs : null),
        new("JSON write", Microseconds, row => row.HasJsonWriteUs ? row.JsonWriteUs : null),
        new("JSON read", Microseconds, row => row.HasJsonParseUs ? row.JsonParseUs : null),
    ];

    private readonly Samples[] _samples = [.. All.Select(_ => new Samples())];
    private List<Place> _places = [];
    private int _shift;

    /// <summary>Adds an observation.</summary>
    /// <param name="observation">The observation.</param>
    /// <param name="gameLoop">Its game loop.</param>
    /// <param name="storedBytes">What it takes in the file, compressed.</param>
    public void Add(in RecordedObservation observation, uint gameLoop, double storedBytes)
    {
        var place = At(observation.Step);
        place.GameLoop ??= gameLoop;
        Add(place, Size, observation.Bytes.Length);
        Add(place, Stored, storedBytes);
        if (observation.ObservedNs > observation.RequestedNs)
        {
            Add(place, Answer, (observation.ObservedNs - observation.RequestedNs) / 1e3);
        }
    }

    /// <summary>Adds a row of the step log.</summary>
    public void Add(StepRecord row)
    {
        var place = At(row.Step);
        foreach (var measure in All)
        {
            if (measure.Of(row) is { } value)
            {
                Add(place, measure, value);
            }
        }
    }

    /// <summary>What there is over the whole match.</summary>
    public IReadOnlyList<MeasureRow> Rows() =>
    [
        .. All.Zip(_samples).Where(pair => pair.Second.Count > 0).Select(pair => new MeasureRow(
            pair.First.Name, pair.First.Unit, pair.Second.Count, pair.Second.Min, pair.Second.Percentile(50),
            pair.Second.Percentile(90), pair.Second.Percentile(99), pair.Second.Max, pair.Second.Mean,
            pair.Second.TrimmedMean())),
    ];

    /// <summary>The same along it.</summary>
    public AlongMatch Along()
    {
        var told = _places.Select((place, at) => (Place: place, Step: (ulong)at << _shift))
            .Where(place => place.Place.Figures.Any(figure => figure.Count > 0))
            .ToList();
        return new AlongMatch(
            [.. told.Select(place => place.Step)],
            [.. told.Select(place => place.Place.GameLoop)],
            [
                .. All.Select((measure, at) => (Measure: measure, At: at))
                    .Where(measure => _samples[measure.At].Count > 0)
                    .Select(measure => new AlongSeries(
                        measure.Measure.Name,
                        measure.Measure.Unit,
                        [.. told.Select(place => place.Place.Figures[measure.At].Mean)],
                        [.. told.Select(place => place.Place.Figures[measure.At].Highest)])),
            ]);
    }

    private void Add(Place place, Measure measure, double value)
    {
        var at = Array.IndexOf(All, measure);
        _samples[at].Add(value);
        place.Figures[at].Add(value);
    }

    // Twice as many steps in each place where there are too many of them.
    private Place At(ulong step)
    {
        while (step >> _shift >= MostPlaces)
        {
            _places = [.. _places.Chunk(2).Select(pair => pair.Aggregate(Place.Together))];
            _shift++;
        }

        var place = (int)(step >> _shift);
        while (_places.Count <= place)
        {
            _places.Add(new Place());
        }

        return _places[place];
    }

    private sealed record Measure(string Name, string Unit, Func<StepRecord, double?> Of);

    private sealed class Place
    {
        public uint? GameLoop { get; set; }

        public Figure[] Figures { get; } = new Figure[All.Length];

        public static Place Together(Place one, Place next)
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
