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
    /// <summary>Whether the message's data is needed for it.</summary>
    public static bool NeedsData(this MessageKey key) => key == MessageKey.GameLoop;

    /// <param name="key">Which.</param>
    /// <param name="sequence">The message's.</param>
    /// <param name="logTime">The message's.</param>
    /// <param name="data">The message's, where it is needed.</param>
    /// <param name="offset">Of its place, for errors.</param>
    /// <exception cref="McapException">The data is no observation.</exception>
    public static ulong Of(this MessageKey key, uint sequence, ulong logTime, ReadOnlySpan<byte> data, long offset)
    {
        switch (key)
        {
            case MessageKey.Sequence:
                return sequence;
            case MessageKey.LogTime:
                return logTime;
            default:
                return GameLoopOf(data, offset);
        }
    }

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
