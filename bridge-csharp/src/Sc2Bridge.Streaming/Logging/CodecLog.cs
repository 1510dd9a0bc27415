namespace Sc2Bridge.Streaming.Logging;

/// <summary>What the step log measures about the codecs.</summary>
public enum CodecLog
{
    /// <summary>No codecs; the log has only the size of the protobuf message and the game's answer time.</summary>
    Off,

    /// <summary>
    /// Encodings that were made for subscribers, on every step; other encodings on as many steps as <see cref="TimeBudget"/>
    /// allows.
    /// </summary>
    Sampled,

    /// <summary>
    /// Everything on every step, including the stock JSON library. A stepped match waits for these measurements.
    /// </summary>
    Full,
}
