using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <content>
/// Writes lists of messages (one of these lists is cached) and lists of values (packed, or with a tag for each value).
/// </content>
internal sealed partial class TextPass
{
    private int WriteMessages(TextField field, int at, int end, int to)
    {
        var list = _list?.TryBegin(field) == true ? _list : null;
        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        var open = to = WriteName(field, to);
        do
        {
            var start = at - field.TagLength;
            ReadOnlySpan<byte> text = default;
            var same = list?.Match(_source.AsSpan(start, end - start), start, to, out text) ?? 0;
            if (same > 0)
            {
                Reserve(to, text.Length + Slack);
                text.CopyTo(Target.AsSpan(to));
                Target[to] = (byte)','; // the cached text may start with a bracket
                to += text.Length;
                at = start + same;
            }
            else
            {
                list?.Add(start, to);
                to = WriteValue(field, at, end, to);
                at = _position;
            }
        }
        while (SkipNextTag(field, ref source, ref at, end));
        list?.End(at, to);
        _position = at;
        return Close(open, to, (byte)'[', (byte)']');
    }

    private int WriteValues(TextField field, int at, int end, int to)
    {
        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        var isPacked = field.IsPacked;
        if (isPacked)
        {
            var length = WireBytes.Length(ref source, ref at, end);
            end = at + length;
        }

        var before = to;
        to = WriteName(field, to);
        var (open, start) = (to, at);
        for (var more = !isPacked || at < end; more; more = isPacked ? at < end : SkipNextTag(field, ref source, ref at, end))
        {
            start = at;
            to = WriteValue(field, at, end, to);
            at = _position;
        }

        if (isPacked && at != end)
        {
            throw new EncodingException("a packed value runs past the end of its field", start);
        }

        _position = at;
        return to == open ? before : Close(open, to, (byte)'[', (byte)']');
    }

    private int WriteName(TextField list, int to)
    {
        ReserveSlack(to);
        return list.Name.CopyTo(ref MemoryMarshal.GetArrayDataReference(Target), to);
    }

    private static bool SkipNextTag(TextField field, ref byte source, ref int at, int end)
    {
        var next = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref source, at)) & field.TagMask;
        if (next != field.TagBytes || at >= end)
        {
            return false;
        }

        at += field.TagLength;
        return true;
    }
}
