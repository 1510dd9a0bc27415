using Google.Protobuf;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Steps over the fields of a serialized message where it stands (protobuf's encoding, "Message structure"), without
/// allocating. Every step is checked against the end.
/// </summary>
public ref struct WireReader
{
    private const int BitsOfVarint = 70; // ten bytes, seven bits each
    private const int DeepestGroup = 100; // Google.Protobuf's limit of nesting

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _end;
    private string? _problem;
    private int _problemAt;

    /// <summary>Reads a whole message.</summary>
    public WireReader(ReadOnlySpan<byte> message)
        : this(message, 0, message.Length)
    {
    }

    /// <summary>Reads a message that is a part of <paramref name="bytes"/>; offsets are of the whole.</summary>
    public WireReader(ReadOnlySpan<byte> bytes, int start, int length)
    {
        _bytes = bytes;
        _end = start + length;
        End = start;
    }

    /// <summary>The current field's number.</summary>
    public int Field { get; private set; }

    /// <summary>The current field's wire type; a group is one field with all that is in it.</summary>
    public WireFormat.WireType Type { get; private set; }

    /// <summary>Where the current field's tag begins.</summary>
    public int Start { get; private set; }

    /// <summary>Where the current field's value begins; behind the length, where it has one.</summary>
    public int ContentStart { get; private set; }

    /// <summary>Where the current field ends.</summary>
    public int End { get; private set; }

    /// <summary>The value, where the wire type is a varint; bits past the 64th are dropped, as Google.Protobuf drops them.</summary>
    public ulong Number { get; private set; }

    /// <summary>The current field, tag included.</summary>
    public readonly ReadOnlySpan<byte> Whole => _bytes[Start..End];

    /// <summary>The current field's value.</summary>
    public readonly ReadOnlySpan<byte> Content => _bytes[ContentStart..End];

    /// <summary>Whether the bytes are no message from the current field on.</summary>
    public readonly bool IsMalformed => _problem is not null;

    /// <summary>Goes to the next field; false at the end.</summary>
    /// <exception cref="MalformedMessageException">The bytes are no message.</exception>
    public bool Next() => TryNext() || (IsMalformed ? throw Malformed() : false);

    /// <summary>Goes to the next field; false at the end, and where the bytes <see cref="IsMalformed"/>.</summary>
    public bool TryNext()
    {
        if (End == _end || IsMalformed)
        {
            return false;
        }

        Start = End;
        if (!TryTag(out var tag))
        {
            return false;
        }

        return TryValue(tag, Start);
    }

    /// <summary>Passes over a value whose tag was read elsewhere.</summary>
    /// <param name="bytes">The message.</param>
    /// <param name="tag">The field's number and wire type.</param>
    /// <param name="at">Where the value begins.</param>
    /// <param name="end">Where the message ends.</param>
    /// <returns>Where the value ends.</returns>
    /// <exception cref="MalformedMessageException">There is no such value.</exception>
    public static int EndOfValue(ReadOnlySpan<byte> bytes, uint tag, int at, int end)
    {
        var reader = new WireReader(bytes, at, end - at);
        return reader.TryValue(tag, at) ? reader.End : throw reader.Malformed();
    }

    /// <summary>Reads one varint at the start of some bytes.</summary>
    /// <returns>How many bytes it takes; 0 where there is none.</returns>
    public static int ReadVarint(ReadOnlySpan<byte> bytes, out ulong value)
    {
        var reader = new WireReader(bytes);
        return reader.TryVarint(out value) ? reader.End : 0;
    }

    private readonly MalformedMessageException Malformed() => new(_problem!, _problemAt);

    private bool TryTag(out uint tag)
    {
        var start = End;
        var read = TryVarint(out var value);
        tag = (uint)value;
        return read && (value <= uint.MaxValue || Fail("a field's tag is longer than 32 bits", start));
    }

    // The depth counts the groups around the value.
    private bool TryValue(uint tag, int start, int depth = 0)
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
                var read = TryVarint(out var number);
                Number = number;
                return read;
            case WireFormat.WireType.LengthDelimited:
                return TryBytes();
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

    private bool TryBytes()
    {
        var at = End;
        if (!TryVarint(out var length))
        {
            return false;
        }

        if (length > (ulong)(_end - End))
        {
            return Fail($"field {Field} says {length} bytes where {_end - End} are left", at);
        }

        ContentStart = End;
        End += (int)length;
        return true;
    }

    private bool TryVarint(out ulong value)
    {
        var start = End;
        value = 0;
        for (var shift = 0; shift < BitsOfVarint; shift += 7)
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
            if (!inner.TryTag(out var tag))
            {
                return Fail(inner._problem!, inner._problemAt);
            }

            var number = WireFormat.GetTagFieldNumber(tag);
            if (WireFormat.GetTagWireType(tag) == WireFormat.WireType.EndGroup && number != 0)
            {
                End = inner.End;
                return number == Field || Fail($"group {Field} is closed as group {number}", End);
            }

            if (!inner.TryValue(tag, at, depth))
            {
                return Fail(inner._problem!, inner._problemAt);
            }
        }

        return Fail($"the message ends within group {Field}", start);
    }

    private bool Fail(string what, int at)
    {
        (_problem, _problemAt) = (what, at);
        return false;
    }
}
