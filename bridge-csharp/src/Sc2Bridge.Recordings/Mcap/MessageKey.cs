using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The keys for searching messages. From one message of a channel to the next, a key never decreases.</summary>
internal enum MessageKey
{
    /// <summary>The sequence number, which is the step for observations.</summary>
    Sequence,

    /// <summary>The log time.</summary>
    LogTime,

    /// <summary>The game loop; only for observations.</summary>
    GameLoop,
}

internal static class MessageKeys
{
    /// <param name="key">The key.</param>
    /// <param name="chunk">The message's chunk.</param>
    /// <param name="message">The message.</param>
    /// <param name="offset">The offset of the message's region, for errors.</param>
    /// <exception cref="McapException">The message is not an observation.</exception>
    public static ulong Of(this MessageKey key, LoadedChunk chunk, in MessagePosition message, long offset) => key switch
    {
        MessageKey.Sequence => message.Sequence,
        MessageKey.LogTime => message.LogTime,
        _ => GameLoopOf(chunk.DataOf(message).Span, offset),
    };

    /// <summary>The game loop of a serialized <c>ResponseObservation</c>.</summary>
    /// <exception cref="McapException">The bytes are not an observation.</exception>
    public static uint GameLoopOf(ReadOnlySpan<byte> observation, long offset)
    {
        try
        {
            return ObservationFacts.Read(observation).GameLoop;
        }
        catch (MalformedMessageException malformed)
        {
            throw new McapException("an observation is not a valid ResponseObservation", offset, innerException: malformed);
        }
    }
}
