using System.Buffers.Binary;

namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>What two game processes tell each other; the numbers are on the wire.</summary>
internal enum PeerMessage : byte
{
    /// <summary>From who joins: protocol version and its RequestJoinGame.</summary>
    Hello = 1,

    /// <summary>From the host: your player id, the longest match, the setup.</summary>
    Setup = 2,

    /// <summary>From who joins: its world stands.</summary>
    Ready = 3,

    /// <summary>What a client did: an entry of the journal.</summary>
    Entry = 4,

    /// <summary>
    /// That side's client has asked for the loops up to this one; it does nothing before it any more.
    /// </summary>
    Grant = 5,

    /// <summary>It cannot be: why.</summary>
    Refused = 6,

    /// <summary>A loop that was played, and the world's checksum after it.</summary>
    Checksum = 7,
}

/// <summary>
/// Messages in a stream of bytes between two game processes: four bytes of length (little-endian, of what follows), a
/// byte that says which, and its content. No I/O.
/// </summary>
internal sealed class PeerFrames
{
    /// <summary>
    /// The longest message: an action is a few hundred bytes, a request that was cut into actions at most this.
    /// </summary>
    public const int Longest = 1 << 20;

    private byte[] _bytes = [];
    private int _count;

    /// <summary>A message as it goes on the wire.</summary>
    public static byte[] Pack(PeerMessage message, ReadOnlySpan<byte> content)
    {
        var frame = new byte[5 + content.Length];
        BinaryPrimitives.WriteInt32LittleEndian(frame, content.Length + 1);
        frame[4] = (byte)message;
        content.CopyTo(frame.AsSpan(5));
        return frame;
    }

    /// <summary>Takes bytes as they came.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (_bytes.Length < _count + bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _count + bytes.Length));
        }

        bytes.CopyTo(_bytes.AsSpan(_count));
        _count += bytes.Length;
    }

    /// <summary>The next whole message; false where there is none yet.</summary>
    /// <exception cref="FormatException">The bytes are none of ours.</exception>
    public bool TryTake(out PeerMessage message, out byte[] content)
    {
        (message, content) = (default, []);
        if (_count < 4)
        {
            return false;
        }

        var length = BinaryPrimitives.ReadInt32LittleEndian(_bytes);
        if (length is < 1 or > Longest)
        {
            throw new FormatException($"a message of {length} bytes");
        }

        if (_count < 4 + length)
        {
            return false;
        }

        message = (PeerMessage)_bytes[4];
        if (message is < PeerMessage.Hello or > PeerMessage.Checksum)
        {
            throw new FormatException($"a message of the unknown kind {_bytes[4]}");
        }

        content = _bytes[5..(4 + length)];
        _count -= 4 + length;
        _bytes.AsSpan(4 + length, _count).CopyTo(_bytes);
        return true;
    }
}
