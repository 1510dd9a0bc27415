using System.Buffers;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>One observation of a recording, in the reader's memory.</summary>
/// <param name="Perspective">A player id, 0 for an observer of all.</param>
/// <param name="Step">Counts from 0 at the match's first observation.</param>
/// <param name="RequestedNs">When the game was asked: nanoseconds of Unix time.</param>
/// <param name="ObservedNs">When the answer was there: the same.</param>
/// <param name="Bytes">
/// The serialized <c>ResponseObservation</c>, the game's very bytes; valid until its reader is moved or disposed.
/// </param>
public readonly record struct RecordedObservation(
    uint Perspective, ulong Step, long RequestedNs, long ObservedNs, ReadOnlyMemory<byte> Bytes)
{
    /// <summary>The game loop that the observation tells; looked up among its fields with each call.</summary>
    /// <exception cref="RecordingException">The bytes are no <c>ResponseObservation</c>.</exception>
    public uint GameLoop
    {
        get
        {
            try
            {
                return MessageKeys.GameLoopOf(Bytes.Span, 0);
            }
            catch (McapException malformed)
            {
                throw new RecordingException(
                    $"the observation of step {Step} is no ResponseObservation: record the match anew", malformed);
            }
        }
    }

    /// <summary>
    /// Copies the bytes into a pooled buffer with headroom, as <c>Frame.Create</c> takes it: the one copy on the way
    /// from a decompressed chunk to a frame.
    /// </summary>
    /// <returns>A buffer that the caller holds, with nothing but the observation in it.</returns>
    public MessageBuffer Copy()
    {
        var buffer = MessageBuffer.Rent(Bytes.Length);
        buffer.Write(Bytes.Span);
        return buffer;
    }
}
