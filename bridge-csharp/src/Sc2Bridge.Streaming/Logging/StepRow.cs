using System.Globalization;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>One row of <c>steps.csv</c>. A value that was not measured is null, and its cell is empty. Times are in microseconds.</summary>
internal readonly record struct StepRow
{
    /// <summary>The columns in order.</summary>
    public const string Columns =
        "step,game_loop,game_us,proto_bytes,json_bytes,zstd_bytes,columns_bytes,proto_parse_us,proto_serialize_us,"
        + "json_write_us,json_parse_us,json_formatter_us,json_parser_us,subscribers,dropped,perspective";

    public ulong Step { get; init; }

    public uint? GameLoop { get; init; }

    public double? GameUs { get; init; }

    public int? ProtoBytes { get; init; }

    /// <summary>Figures of the bridge's own codecs.</summary>
    public CodecFigures Codecs { get; init; }

    public double? ProtoParseUs { get; init; }

    public double? ProtoSerializeUs { get; init; }

    public double? JsonFormatterUs { get; init; }

    public double? JsonParserUs { get; init; }

    public int? Subscribers { get; init; }

    public int? Dropped { get; init; }

    /// <summary>A player id; 0 for an observer of all players.</summary>
    public uint Perspective { get; init; }

    /// <summary>Converts the row to a message for recordings, without the figures of the stock JSON library.</summary>
    public StepRecord ToRecord()
    {
        var record = new StepRecord { Step = Step, Perspective = Perspective };
        Set(record, GameLoop, static (to, value) => to.GameLoop = value);
        Set(record, GameUs, static (to, value) => to.GameUs = value);
        Set(record, ProtoBytes, static (to, value) => to.ProtoBytes = (uint)value);
        Set(record, Codecs.JsonBytes, static (to, value) => to.JsonBytes = (uint)value);
        Set(record, Codecs.ZstdAddedBytes, static (to, value) => to.ZstdBytes = (uint)value);
        Set(record, Codecs.ColumnsBytes, static (to, value) => to.ColumnsBytes = (uint)value);
        Set(record, ProtoParseUs, static (to, value) => to.ProtoParseUs = value);
        Set(record, ProtoSerializeUs, static (to, value) => to.ProtoSerializeUs = value);
        Set(record, Codecs.JsonWriteUs, static (to, value) => to.JsonWriteUs = value);
        Set(record, Codecs.JsonParseUs, static (to, value) => to.JsonParseUs = value);
        Set(record, Subscribers, static (to, value) => to.Subscribers = (uint)value);
        Set(record, Dropped, static (to, value) => to.Dropped = (uint)value);
        return record;
    }

    /// <summary>The row of a frame before any measurement.</summary>
    public static StepRow Of(ObservationFrame frame)
    {
        var header = frame.Header;
        return new StepRow
        {
            Step = header.Step,
            GameLoop = header.GameLoop,
            GameUs = (header.ObservedNs - header.RequestedNs) / 1000.0,
            ProtoBytes = frame.Observation.Length,
            Subscribers = frame.Subscribers,
            Dropped = frame.Dropped,
            Perspective = header.Perspective,
        };
    }

    /// <summary>The row as a line of text, with its line end.</summary>
    public string ToLine() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Step},{GameLoop},{GameUs:0.0},{ProtoBytes},{Codecs.JsonBytes},{Codecs.ZstdAddedBytes},{Codecs.ColumnsBytes},"
        + $"{ProtoParseUs:0.0},{ProtoSerializeUs:0.0},{Codecs.JsonWriteUs:0.0},{Codecs.JsonParseUs:0.0},"
        + $"{JsonFormatterUs:0.0},{JsonParserUs:0.0},{Subscribers},{Dropped},{Perspective}\n");

    private static void Set<T>(StepRecord record, T? value, Action<StepRecord, T> set)
        where T : struct
    {
        if (value is { } known)
        {
            set(record, known);
        }
    }
}
