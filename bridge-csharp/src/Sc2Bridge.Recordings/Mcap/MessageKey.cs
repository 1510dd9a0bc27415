using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>What messages are looked for by: along a channel it never falls.</summary>
internal enum MessageKey
{
    /// <summary>The sequence, of observations the step.</summary>
    Sequence,

    /// <summary>The log time.</summary>
    LogTime,

    /// <summary>The game loop, of observations.</summary>
    GameLoop,
}

/// <summary>Reads keys.</summary>
internal static class MessageKeys
{
    /// <param name="key">Which.</param>
    /// <param name="chunk">What holds the message.</param>
    /// <param name="message">The message.</param>
    /// <param name="offset">Of its place, for errors.</param>
    /// <exception cref="McapException">The message is no observation.</exception>
    public static ulong Of(this MessageKey key, LoadedChunk chunk, in MessagePlace message, long offset) => key switch
    {
        MessageKey.Sequence => message.Sequence,
        MessageKey.LogTime => message.LogTime,
        _ => GameLoopOf(chunk.DataOf(message).Span, offset),
    };

    /// <summary>The game loop of a serialized <c>ResponseObservation</c>.</summary>
    /// <exception cref="McapException">It is none.</exception>
    public static uint GameLoopOf(ReadOnlySpan<byte> observation, long offset)
    {
        try
        {
            return ObservationFacts.Read(observation).GameLoop;
        }
        catch (MalformedMessageException malformed)
        {
            throw new McapException("an observation is no such message", offset, innerException: malformed);
        }
    }
}
