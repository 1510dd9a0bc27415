using Google.Protobuf;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Steps through the fields of a serialized message in place (protobuf's encoding, "Message structure"), without
/// allocating. No step reads beyond the message's end.
/// </summary>
public ref struct WireReader
{
    private const int MaxVarintBits = 70; // ten bytes, seven bits each
    private const int DeepestGroup = 100; // Google.Protobuf's limit of nesting

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _end;
    private string? _problem;
    private int _problemOffset;

    /// <summary>Reads a whole message.</summary>
    public WireReader(ReadOnlySpan<byte> message)
        : this(message, 0, message.Length)
    {
    }

    /// <summary>Reads a message that is a part of <paramref name="bytes"/>. Offsets count from the start of <paramref name="bytes"/>.</summary>
    public WireReader(ReadOnlySpan<byte> bytes, int start, int length)
    {
        _bytes = bytes;
        _end = start + length;
        End = start;
    }

    /// <summary>The current field's number.</summary>
    public int Field { get; private set; }

    /// <summary>The current field's wire type. A group is one field that includes its content.</summary>
    public WireFormat.WireType Type { get; private set; }

    /// <summary>The offset of the current field's tag.</summary>
    public int Start { get; private set; }

    /// <summary>The offset of the current field's value. If the field contains the value's length, the value begins after the length.</summary>
    public int ContentStart { get; private set; }

    /// <summary>The offset of the current field's end.</summary>
    public int End { get; private set; }

    /// <summary>The value, if the wire type is a varint. Bits after the 64th are dropped, as in Google.Protobuf.</summary>
    public ulong VarintValue { get; private set; }

    /// <summary>The current field with its tag.</summary>
    public readonly ReadOnlySpan<byte> Whole => _bytes[Start..End];

    /// <summary>The current field's value.</summary>
    public readonly ReadOnlySpan<byte> Content => _bytes[ContentStart..End];

    /// <summary>Whether the bytes from the current field on are not a valid message.</summary>
    public readonly bool IsMalformed => _problem is not null;

    /// <summary>Moves to the next field. Returns false at the end.</summary>
    /// <exception cref="MalformedMessageException">The bytes are not a valid message.</exception>
    public bool Next() => TryNext() || (IsMalformed ? throw Malformed() : false);

    /// <summary>Moves to the next field. Returns false at the end, and if the bytes are <see cref="IsMalformed">malformed</see>.</summary>
    public bool TryNext()
    {
        if (End == _end || IsMalformed)
        {
            return false;
        }

        Start = End;
        if (!TryReadTag(out var tag))
        {
            return false;
        }

        return TryReadValue(tag, Start);
    }

    /// <summary>Skips a value. The caller has already read the value's tag.</summary>
    /// <param name="bytes">The message.</param>
    /// <param name="tag">The field's number and wire type.</param>
    /// <param name="at">The offset of the value.</param>
    /// <param name="end">The offset of the message's end.</param>
    /// <returns>The offset of the value's end.</returns>
    /// <exception cref="MalformedMessageException">The value is malformed.</exception>
    public static int EndOfValue(ReadOnlySpan<byte> bytes, uint tag, int at, int end)
    {
        var reader = new WireReader(bytes, at, end - at);
        return reader.TryReadValue(tag, at) ? reader.End : throw reader.Malformed();
    }

    /// <summary>Reads one varint at the start of some bytes.</summary>
    /// <returns>The varint's length in bytes; 0 if it is malformed.</returns>
    public static int ReadVarint(ReadOnlySpan<byte> bytes, out ulong value)
    {
        var reader = new WireReader(bytes);
        return reader.TryReadVarint(out value) ? reader.End : 0;
    }

    private readonly MalformedMessageException Malformed() => new(_problem!, _problemOffset);

    private bool TryReadTag(out uint tag)
    {
        var start = End;
        var read = TryReadVarint(out var value);
        tag = (uint)value;
        return read && (value <= uint.MaxValue || Fail("a field's tag is longer than 32 bits", start));
    }

    // depth is the number of groups around the value.
    private bool TryReadValue(uint tag, int start, int depth = 0)
    {
        Field = WireFormat.GetTagFieldNumber(tag);
        Type = WireFormat.GetTagWireType(tag);
        ContentStart = End;
        if (Field == 0)
        {
            return Fail("a field has the number 0", start);
        }

        switch (Type)
        {
            case WireFormat.WireType.Varint:
                var read = TryReadVarint(out var number);
                VarintValue = number;
                return read;
            case WireFormat.WireType.LengthDelimited:
                return TryReadBytes();
            case WireFormat.WireType.Fixed64:
                return TrySkipFixed(sizeof(ulong));
            case WireFormat.WireType.Fixed32:
                return TrySkipFixed(sizeof(uint));
            case WireFormat.WireType.StartGroup:
                return TrySkipGroup(depth + 1);
            case WireFormat.WireType.EndGroup:
                return Fail($"group {Field} ends but never started", End);
            default:
                return Fail($"field {Field} has the unknown wire type {(int)Type}", start);
        }
    }

    private bool TryReadBytes()
    {
        var at = End;
        if (!TryReadVarint(out var length))
        {
            return false;
        }

        if (length > (ulong)(_end - End))
        {
            return Fail($"field {Field} has a length of {length} bytes, but only {_end - End} are left", at);
        }

        ContentStart = End;
        End += (int)length;
        return true;
    }

    private bool TryReadVarint(out ulong value)
    {
        var start = End;
        value = 0;
        for (var shift = 0; shift < MaxVarintBits; shift += 7)
        {
            if (End == _end)
            {
                return Fail("the message ends within a varint", start);
            }

            ulong next = _bytes[End++];
            value |= (next & 0x7F) << shift;
            if (next < 0x80)
            {
                return true;
            }
        }

        return Fail("a varint is longer than ten bytes", start);
    }

    private bool TrySkipFixed(int length)
    {
        if (_end - End < length)
        {
            return Fail($"the message ends within field {Field}", End);
        }

        End += length;
        return true;
    }

    private bool TrySkipGroup(int depth)
    {
        var start = End;
        if (depth > DeepestGroup)
        {
            return Fail($"groups are nested deeper than {DeepestGroup}", start);
        }

        var inner = new WireReader(_bytes, start, _end - start);
        while (inner.End < _end)
        {
            var at = inner.End;
            if (!inner.TryReadTag(out var tag))
            {
                return Fail(inner._problem!, inner._problemOffset);
            }

            var number = WireFormat.GetTagFieldNumber(tag);
            if (WireFormat.GetTagWireType(tag) == WireFormat.WireType.EndGroup && number != 0)
            {
                End = inner.End;
                return number == Field || Fail($"group {Field} is closed as group {number}", End);
            }

            if (!inner.TryReadValue(tag, at, depth))
            {
                return Fail(inner._problem!, inner._problemOffset);
            }
        }

        return Fail($"the message ends within group {Field}", start);
    }

    private bool Fail(string problem, int offset)
    {
        (_problem, _problemOffset) = (problem, offset);
        return false;
    }
}
