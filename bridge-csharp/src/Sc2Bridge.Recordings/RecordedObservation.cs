using System.Buffers;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>One observation of a recording. Its bytes are in the reader's memory.</summary>
/// <param name="Perspective">A player id, or 0 for an observer of all players.</param>
/// <param name="Step">The step; 0 is the match's first observation.</param>
/// <param name="RequestedNs">When the observation was requested, in nanoseconds of Unix time.</param>
/// <param name="ObservedNs">When the game's answer arrived, in nanoseconds of Unix time.</param>
/// <param name="Bytes">
/// The serialized <c>ResponseObservation</c>, exactly as the game sent it. Valid until the reader moves or is disposed.
/// </param>
public readonly record struct RecordedObservation(
    uint Perspective, ulong Step, long RequestedNs, long ObservedNs, ReadOnlyMemory<byte> Bytes)
{
    /// <summary>The observation's game loop. Each call searches the bytes again.</summary>
    /// <exception cref="RecordingException">The bytes are not a <c>ResponseObservation</c>.</exception>
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
                    $"the observation of step {Step} is not a valid ResponseObservation: record the match again", malformed);
            }
        }
    }

    /// <summary>
    /// Copies the bytes into a pooled buffer with headroom for <c>ObservationFrame.Create</c>. This is the only copy between the
    /// decompressed chunk and the frame.
    /// </summary>
    /// <returns>The buffer. The caller owns the reference.</returns>
    public MessageBuffer Copy()
    {
        var buffer = MessageBuffer.Rent(Bytes.Length);
        buffer.Write(Bytes.Span);
        return buffer;
    }
}
