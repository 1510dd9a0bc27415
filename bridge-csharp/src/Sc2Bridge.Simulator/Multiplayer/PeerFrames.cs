using System.Buffers.Binary;

namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>The kinds of messages between two game processes. The wire has these numbers.</summary>
internal enum PeerMessage : byte
{
    /// <summary>From the joining process: protocol version and its RequestJoinGame.</summary>
    Hello = 1,

    /// <summary>From the host: the other player's id, the longest match, the setup.</summary>
    Setup = 2,

    /// <summary>From the joining process: its world is ready.</summary>
    Ready = 3,

    /// <summary>A client's action: an entry of the journal.</summary>
    Entry = 4,

    /// <summary>The client has asked for the loops up to this one. It sends no more entries for loops before it.</summary>
    Grant = 5,

    /// <summary>The match cannot be played, with the reason.</summary>
    Refused = 6,

    /// <summary>A loop that was played, and the world's checksum after it.</summary>
    Checksum = 7,
}

/// <summary>
/// Splits a stream of bytes between two game processes into messages. A message has a length in four bytes (little-endian,
/// of the following bytes), a byte with its kind, and its content. No I/O.
/// </summary>
internal sealed class PeerFrames
{
    /// <summary>The longest message. An action is a few hundred bytes long; ClientActions limits it to less than this.</summary>
    public const int Longest = 1 << 20;

    private byte[] _bytes = [];
    private int _count;

    /// <summary>Packs a message for the wire.</summary>
    public static byte[] Pack(PeerMessage message, ReadOnlySpan<byte> content)
    {
        var frame = new byte[5 + content.Length];
        BinaryPrimitives.WriteInt32LittleEndian(frame, content.Length + 1);
        frame[4] = (byte)message;
        content.CopyTo(frame.AsSpan(5));
        return frame;
    }

    /// <summary>Adds received bytes.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (_bytes.Length < _count + bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _count + bytes.Length));
        }

        bytes.CopyTo(_bytes.AsSpan(_count));
        _count += bytes.Length;
    }

    /// <summary>Gets the next whole message. Returns false if it is not yet complete.</summary>
    /// <exception cref="FormatException">The bytes are not a valid message.</exception>
    public bool TryRead(out PeerMessage message, out byte[] content)
    {
        (message, content) = (default, []);
        if (_count < 4)
        {
            return false;
        }

        var length = BinaryPrimitives.ReadInt32LittleEndian(_bytes);
        if (length is < 1 or > Longest)
        {
            throw new FormatException($"a message of {length} bytes (1 to {Longest} are allowed)");
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
