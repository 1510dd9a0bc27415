using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <content>Numbers, lengths and what is passed over.</content>
internal sealed unsafe partial class RowReader
{
    // The readers give where they came to, and leave the number in _value: a pointer handed in by reference could not
    // stay in a register.
    private byte* ReadNumber(byte* at, byte* end)
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
                _value = value;
                return next;
            }
        }

        throw Malformed("a varint is longer than ten bytes", at);
    }

    private byte* ReadTag(byte* at, byte* end)
    {
        var next = ReadNumber(at, end);
        return _value <= uint.MaxValue ? next : throw Malformed("a field's tag is longer than 32 bits", at);
    }

    private byte* ReadLength(byte* at, byte* end)
    {
        var next = ReadNumber(at, end);
        return _value <= (ulong)(end - next) ? next : throw TooLong(_value, next, end);
    }

    // What is rare is left to the reader that is careful and slow.
    private byte* Skip(uint tag, byte* at, byte* end)
    {
        var bytes = new ReadOnlySpan<byte>(_start, (int)(_end - _start));
        return _start + WireReader.EndOfValue(bytes, tag, (int)(at - _start), (int)(end - _start));
    }

    private MalformedMessageException TooLong(ulong length, byte* at, byte* end) =>
        Malformed($"a field says {length} bytes where {end - at} are left", at);

    private MalformedMessageException CutOff(int number, byte* at) =>
        Malformed($"the message ends within field {number}", at);

    private MalformedMessageException Malformed(string what, byte* at) => new(what, (int)(at - _start));
}
