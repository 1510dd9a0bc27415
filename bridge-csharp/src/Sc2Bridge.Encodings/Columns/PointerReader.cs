using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>Reads varints and lengths through pointers, and skips unwanted fields.</summary>
/// <remarks>
/// The methods return the position after the value and store the number in <see cref="Value"/>. The
/// position is not passed by reference, because it could then not stay in a register.
/// </remarks>
internal abstract unsafe class PointerReader
{
    private byte* _start;
    private byte* _end;

    /// <summary>The number that was read last.</summary>
    protected ulong Value { get; private set; }

    /// <summary>Sets the bytes to read. They must be pinned.</summary>
    protected void Begin(byte* start, int length)
    {
        _start = start;
        _end = start + length;
    }

    protected byte* ReadNumber(byte* at, byte* end)
    {
        var next = at;
        var value = 0UL;
        for (var shift = 0; shift < 70; shift += 7)
        {
            if (next == end)
            {
                throw Malformed("the message ends within a varint", at);
            }

            ulong bits = *next++;
            value |= (bits & 0x7F) << shift;
            if (bits < 0x80)
            {
                Value = value;
                return next;
            }
        }

        throw Malformed("a varint is longer than ten bytes", at);
    }

    protected byte* ReadTag(byte* at, byte* end)
    {
        var next = ReadNumber(at, end);
        return Value <= uint.MaxValue ? next : throw Malformed("a field's tag is longer than 32 bits", at);
    }

    protected byte* ReadLength(byte* at, byte* end)
    {
        var next = ReadNumber(at, end);
        return Value <= (ulong)(end - next) ? next : throw TooLong(Value, next, end);
    }

    // Rare fields go through the slower reader, which checks every byte.
    protected byte* Skip(uint tag, byte* at, byte* end)
    {
        var bytes = new ReadOnlySpan<byte>(_start, (int)(_end - _start));
        return _start + WireReader.EndOfValue(bytes, tag, (int)(at - _start), (int)(end - _start));
    }

    protected MalformedMessageException TooLong(ulong length, byte* at, byte* end) =>
        Malformed($"the length of a field is {length} bytes, but {end - at} bytes are left", at);

    protected MalformedMessageException CutOff(int number, byte* at) =>
        Malformed($"the message ends within field {number}", at);

    private MalformedMessageException Malformed(string what, byte* at) => new(what, (int)(at - _start));
}
