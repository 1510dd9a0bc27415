using Google.Protobuf;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Steps over the fields of one serialized message, in place and without allocating. Bytes that are no message end the
/// walk with <see cref="IsMalformed"/>; nothing throws.
/// </summary>
internal ref struct WireWalker(ReadOnlySpan<byte> message)
{
    private readonly ReadOnlySpan<byte> _message = message;
    private int _next;

    /// <summary>The current field's number.</summary>
    public int Field { get; private set; }

    /// <summary>The current field's wire type.</summary>
    public WireFormat.WireType Type { get; private set; }

    /// <summary>Where the current field's tag begins.</summary>
    public int Start { get; private set; }

    /// <summary>Where the current field ends.</summary>
    public readonly int End => _next;

    /// <summary>The whole current field, tag included.</summary>
    public readonly ReadOnlySpan<byte> Whole => _message[Start.._next];

    /// <summary>A length-delimited field's content.</summary>
    public ReadOnlySpan<byte> Content { get; private set; }

    /// <summary>A varint field's value.</summary>
    public ulong Number { get; private set; }

    /// <summary>True where the bytes are no protobuf message.</summary>
    public bool IsMalformed { get; private set; }

    /// <summary>Goes to the next field; false at the end, and where the bytes are malformed.</summary>
    public bool Next()
    {
        if (_next >= _message.Length || IsMalformed)
        {
            return false;
        }

        Start = _next;
        if (!TryVarint(out var tag) || tag > uint.MaxValue || tag >> 3 == 0)
        {
            return Malformed();
        }

        Field = (int)(tag >> 3);
        Type = (WireFormat.WireType)(tag & 7);
        switch (Type)
        {
            case WireFormat.WireType.Varint:
                if (!TryVarint(out var number))
                {
                    return Malformed();
                }

                Number = number;
                return true;
            case WireFormat.WireType.Fixed64:
                return Skip(8);
            case WireFormat.WireType.Fixed32:
                return Skip(4);
            case WireFormat.WireType.LengthDelimited:
                if (!TryVarint(out var length) || length > int.MaxValue || !Skip((int)length))
                {
                    return Malformed();
                }

                Content = _message.Slice(_next - (int)length, (int)length);
                return true;
            default:
                // Groups: the game's contract has none.
                return Malformed();
        }
    }

    /// <summary>Reads one varint at the start of a span; 0 bytes where there is none.</summary>
    public static int ReadVarint(ReadOnlySpan<byte> bytes, out ulong value)
    {
        value = 0;
        for (var i = 0; i < bytes.Length && i < 10; i++)
        {
            value |= (ulong)(bytes[i] & 0x7F) << (7 * i);
            if (bytes[i] < 0x80)
            {
                return i + 1;
            }
        }

        return 0;
    }

    private bool TryVarint(out ulong value)
    {
        var read = ReadVarint(_message[_next..], out value);
        _next += read;
        return read > 0;
    }

    private bool Skip(int count)
    {
        if (count > _message.Length - _next)
        {
            return Malformed();
        }

        _next += count;
        return true;
    }

    private bool Malformed()
    {
        IsMalformed = true;
        return false;
    }
}
