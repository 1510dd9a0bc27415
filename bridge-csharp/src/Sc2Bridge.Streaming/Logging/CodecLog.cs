namespace Sc2Bridge.Streaming.Logging;

/// <summary>How much of the codecs the step log measures.</summary>
public enum CodecLog
{
    /// <summary>Nothing: the protobuf's bytes and the game's answer time only.</summary>
    Off,

    /// <summary>
    /// Encodings made for subscribers, on every step; the others on as many steps as <see cref="TimeBudget"/> allows.
    /// </summary>
    Sampled,

    /// <summary>Everything on every step, the stock JSON too: a stepped match waits for it.</summary>
    Full,
}
