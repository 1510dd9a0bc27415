namespace Sc2Bridge.Streaming.Logging;

/// <summary>How much of the codecs the step log times.</summary>
public enum CodecLog
{
    /// <summary>Nothing: sizes and the game's answer time only.</summary>
    Off,

    /// <summary>Protobuf and the bridge's own codecs on every step, the slow stock JSON on one in 16.</summary>
    Sampled,

    /// <summary>Everything on every step.</summary>
    Full,
}
