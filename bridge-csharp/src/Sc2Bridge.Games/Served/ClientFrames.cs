namespace Sc2Bridge.Games;

/// <summary>
/// Makes a client's WebSocket frames, as they come, such as RFC 6455 wants them of a client, which the real game does
/// not: binary and masked. No I/O.
/// </summary>
/// <remarks>
/// PySC2 sends its requests as text (<c>StarcraftProtocol._write</c> calls websocket-client's <c>send</c>, whose opcode
/// is text if the caller gives no other), though they are protobuf and hence no UTF-8: a server that keeps to the RFC closes its
/// connection. cpp-sc2 masks nothing (<c>Connection::Send</c> calls <c>mg_websocket_write</c>, which is for servers):
/// .NET's server waits for a mask that does not come, and its first ping is never answered.
/// </remarks>
internal sealed class ClientFrames
{
    private const byte OpcodeBits = 0x0F;
    private const byte Text = 1;
    private const byte Binary = 2;
    private const byte Masked = 0x80;
    private const int MaskLength = 4;

    // Where in a header the next byte stands, where the payload's length ends in it, how long the header is, and what
    // it says.
    private int _at;
    private int _lengthEnd = 2;
    private int _length = 2;
    private bool _isMasked;
    private ulong _payloadLength;

    // Of the frame behind its header: bytes of a mask that changes nothing, and the payload.
    private int _maskLeft;
    private ulong _payloadLeft;

    /// <summary>Takes bytes, however they are cut, as far as there is room for the result.</summary>
    /// <param name="source">As the client sent them.</param>
    /// <param name="target">Gets them as they should be.</param>
    /// <returns>How many were taken, and given.</returns>
    public (int Taken, int Given) Take(ReadOnlySpan<byte> source, Span<byte> target)
    {
        var (taken, given) = (0, 0);
        while (given < target.Length)
        {
            if (_maskLeft > 0)
            {
                target[given++] = 0;
                _maskLeft--;
            }
            else if (taken == source.Length)
            {
                break;
            }
            else if (_payloadLeft > 0)
            {
                var size = Math.Min(source.Length - taken, target.Length - given);
                size = (int)Math.Min(_payloadLeft, (ulong)size);
                source.Slice(taken, size).CopyTo(target[given..]);
                (taken, given, _payloadLeft) = (taken + size, given + size, _payloadLeft - (ulong)size);
            }
            else
            {
                target[given++] = Header(source[taken++]);
            }
        }

        return (taken, given);
    }

    private byte Header(byte next)
    {
        var at = _at++;
        if (at == 0)
        {
            _payloadLength = 0;
            return (next & OpcodeBits) == Text ? (byte)((next & ~OpcodeBits) | Binary) : next;
        }

        if (at == 1)
        {
            var more = (next & ~Masked) switch { 126 => 2, 127 => 8, _ => 0 };
            _payloadLength = more == 0 ? (ulong)(next & ~Masked) : 0;
            _isMasked = (next & Masked) != 0;
            _lengthEnd = 2 + more;
            _length = _lengthEnd + (_isMasked ? MaskLength : 0);
            next |= Masked;
        }
        else if (at < _lengthEnd)
        {
            _payloadLength = (_payloadLength << 8) | next;
        }

        if (_at == _length)
        {
            (_at, _lengthEnd, _length) = (0, 2, 2);
            (_maskLeft, _payloadLeft) = (_isMasked ? 0 : MaskLength, _payloadLength);
        }

        return next;
    }
}
