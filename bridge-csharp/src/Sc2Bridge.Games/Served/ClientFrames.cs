namespace Sc2Bridge.Games;

/// <summary>
/// Converts a client's WebSocket frames to binary frames with a mask, as RFC 6455 requires, because .NET's server accepts no
/// others. The real game also accepts other frames. This class does no I/O.
/// </summary>
/// <remarks>
/// PySC2 sends its requests as text (<c>StarcraftProtocol._write</c> calls websocket-client's <c>send</c>, whose default opcode is
/// text). But the requests are protobuf and not UTF-8, so a server that follows the RFC closes the connection. cpp-sc2 does not mask its
/// frames (<c>Connection::Send</c> calls <c>mg_websocket_write</c>, a function for servers). .NET's server would wait for
/// the missing mask and would never answer the first request, a ping.
/// </remarks>
internal sealed class ClientFrames
{
    private const byte OpcodeBits = 0x0F;
    private const byte Text = 1;
    private const byte Binary = 2;
    private const byte Masked = 0x80;
    private const int MaskLength = 4;

    // The frame's header: the position of the next header byte, the end of the length field, the header's length, and the header's values.
    private int _headerPosition;
    private int _lengthEnd = 2;
    private int _headerLength = 2;
    private bool _isMasked;
    private ulong _payloadLength;

    // How many bytes of the frame must still be written after the header: of the added mask of zeros, and of the payload.
    private int _maskLeft;
    private ulong _payloadLeft;

    /// <summary>Converts bytes, in pieces of any size, until the source is used up or the target is full.</summary>
    /// <param name="source">The client's bytes.</param>
    /// <param name="target">Receives the converted bytes.</param>
    /// <returns>How many bytes were read and written.</returns>
    public (int Taken, int Given) Convert(ReadOnlySpan<byte> source, Span<byte> target)
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
                target[given++] = ConvertHeaderByte(source[taken++]);
            }
        }

        return (taken, given);
    }

    private byte ConvertHeaderByte(byte next)
    {
        var at = _headerPosition++;
        if (at == 0)
        {
            _payloadLength = 0;
            return (next & OpcodeBits) == Text ? (byte)((next & ~OpcodeBits) | Binary) : next;
        }

        if (at == 1)
        {
            var lengthBytes = (next & ~Masked) switch { 126 => 2, 127 => 8, _ => 0 };
            _payloadLength = lengthBytes == 0 ? (ulong)(next & ~Masked) : 0;
            _isMasked = (next & Masked) != 0;
            _lengthEnd = 2 + lengthBytes;
            _headerLength = _lengthEnd + (_isMasked ? MaskLength : 0);
            next |= Masked;
        }
        else if (at < _lengthEnd)
        {
            _payloadLength = (_payloadLength << 8) | next;
        }

        if (_headerPosition == _headerLength)
        {
            (_headerPosition, _lengthEnd, _headerLength) = (0, 2, 2);
            (_maskLeft, _payloadLeft) = (_isMasked ? 0 : MaskLength, _payloadLength);
        }

        return next;
    }
}
