namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Sizes and times of the bridge's own encodings of one observation; null is an empty cell.
/// </summary>
public record struct CodecFigures
{
    /// <summary>The observation's JSON, in bytes of UTF-8.</summary>
    public int? JsonBytes { get; set; }

    /// <summary>The same with its envelope, as the WebSocket sends it; not a column of the log.</summary>
    public int? JsonEventBytes { get; set; }

    /// <summary>What the observation adds to the compressed stream of its group.</summary>
    public int? ZstdBytes { get; set; }

    /// <summary>The observation as columns.</summary>
    public int? ColumnsBytes { get; set; }

    /// <summary>From the wire to JSON, in microseconds.</summary>
    public double? JsonWriteUs { get; set; }

    /// <summary>From JSON to the wire, in microseconds.</summary>
    public double? JsonParseUs { get; set; }
}
