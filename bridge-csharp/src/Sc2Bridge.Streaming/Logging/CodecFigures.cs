namespace Sc2Bridge.Streaming.Logging;

/// <summary>Sizes and times of the bridge's own encodings of one observation. A null becomes an empty cell of the log.</summary>
public record struct CodecFigures
{
    /// <summary>The size of the observation as JSON, in bytes of UTF-8.</summary>
    public int? JsonBytes { get; set; }

    /// <summary>The size of the JSON with its envelope, as the WebSocket sends it. The log has no column for this size.</summary>
    public int? JsonEventBytes { get; set; }

    /// <summary>The bytes that the observation adds to the compressed stream of its group.</summary>
    public int? ZstdAddedBytes { get; set; }

    /// <summary>The size of the observation as columns, in bytes.</summary>
    public int? ColumnsBytes { get; set; }

    /// <summary>The time to convert protobuf to JSON, in microseconds.</summary>
    public double? JsonWriteUs { get; set; }

    /// <summary>The time to convert JSON to protobuf, in microseconds.</summary>
    public double? JsonParseUs { get; set; }
}
