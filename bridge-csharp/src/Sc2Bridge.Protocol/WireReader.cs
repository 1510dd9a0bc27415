namespace Sc2Bridge.Protocol;

/// <summary>How a field stands on the wire (protobuf's encoding, "Message structure").</summary>
public enum WireKind
{
    /// <summary>Seven bits a byte.</summary>
    Varint = 0,

    /// <summary>Eight bytes.</summary>
    Fixed64 = 1,

    /// <summary>A length and so many bytes: text, bytes, messages, packed numbers.</summary>
    Bytes = 2,

    /// <summary>Fields up to the group's end.</summary>
    GroupStart = 3,

    /// <summary>The end of the group of the same number.</summary>
    GroupEnd = 4,

    /// <summary>Four bytes.</summary>
    Fixed32 = 5,
}

/// <summary>
/// Walks the fields of a serialized message where it stands, without allocating. Every step is checked against the
/// end; what cannot be a message throws <see cref="MalformedMessageException"/>.
/// </summary>
public ref struct WireReader
{
    private const int LongestVarint = 10; // 64 bits, seven a byte
    private const int DeepestGroup = 100; // Google.Protobuf's limit of nesting

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _end;
    private int _position;

    /// <summary>Reads <paramref name="bytes"/> from <paramref name="start"/>; offsets are of the whole.</summary>
    public WireReader(ReadOnlySpan<byte> bytes, int start, int length)
    {
        _bytes = bytes;
        _position = start;
        _end = start + length;
    }

    /// <summary>Where the next byte is read.</summary>
    public readonly int Position => _position;

    /// <summary>The next field's number and kind; false at the end of the message.</summary>
    public bool TryReadField(out int number, out WireKind kind)
    {
        number = 0;
        kind = default;
        if (_position == _end)
        {
            return false;
        }

        var start = _position;
        var tag = ReadVarint();
        if (tag > uint.MaxValue)
        {
            throw new MalformedMessageException("a field's tag is longer than 32 bits", start);
        }

        number = (int)(tag >> 3);
        kind = (WireKind)(tag & 7);
        if (number == 0)
        {
            throw new MalformedMessageException("a field has the number 0", start);
        }

        if (kind > WireKind.Fixed32)
        {
            throw new MalformedMessageException($"field {number} has the unknown wire type {(int)kind}", start);
        }

        return true;
    }

    /// <summary>A varint; bits past the 64th are dropped, as Google.Protobuf drops them.</summary>
    public ulong ReadVarint()
    {
        var start = _position;
        ulong value = 0;
        for (var i = 0; i < LongestVarint; i++)
        {
            if (_position == _end)
            {
                throw new MalformedMessageException("the message ends within a varint", start);
            }

            var next = _bytes[_position++];
            value |= (ulong)(next & 0x7F) << (7 * i);
            if (next < 0x80)
            {
                return value;
            }
        }

        throw new MalformedMessageException("a varint is longer than ten bytes", start);
    }

    /// <summary>A length, with that many bytes behind it, which are passed over.</summary>
    /// <returns>Offset and length of the bytes, in the whole.</returns>
    public (int Start, int Length) ReadBytes(int number)
    {
        var at = _position;
        var length = ReadVarint();
        if (length > (ulong)(_end - _position))
        {
            throw new MalformedMessageException(
                $"field {number} says {length} bytes where {_end - _position} are left", at);
        }

        var start = _position;
        _position += (int)length;
        return (start, (int)length);
    }

    /// <summary>Passes over the value of a field whose tag was just read.</summary>
    public void Skip(int number, WireKind kind) => Skip(number, kind, 0);

    private void Skip(int number, WireKind kind, int depth)
    {
        switch (kind)
        {
            case WireKind.Varint:
                ReadVarint();
                break;
            case WireKind.Fixed64:
                SkipFixed(number, 8);
                break;
            case WireKind.Fixed32:
                SkipFixed(number, 4);
                break;
            case WireKind.Bytes:
                ReadBytes(number);
                break;
            case WireKind.GroupStart:
                SkipGroup(number, depth + 1);
                break;
            default:
                throw new MalformedMessageException($"group {number} ends but never started", _position);
        }
    }

    private void SkipFixed(int number, int length)
    {
        if (_end - _position < length)
        {
            throw new MalformedMessageException($"the message ends within field {number}", _position);
        }

        _position += length;
    }

    private void SkipGroup(int number, int depth)
    {
        var start = _position;
        if (depth > DeepestGroup)
        {
            throw new MalformedMessageException($"groups are nested deeper than {DeepestGroup}", start);
        }

        while (TryReadField(out var inner, out var kind))
        {
            if (kind != WireKind.GroupEnd)
            {
                Skip(inner, kind, depth);
            }
            else if (inner == number)
            {
                return;
            }
            else
            {
                throw new MalformedMessageException($"group {number} is closed as group {inner}", _position);
            }
        }

        throw new MalformedMessageException($"the message ends within group {number}", start);
    }
}
