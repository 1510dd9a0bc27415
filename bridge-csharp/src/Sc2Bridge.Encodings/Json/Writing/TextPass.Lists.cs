using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <content>
/// Lists of messages (the items of one list are remembered) and lists of values, each with its tag or all behind one.
/// </content>
internal sealed partial class TextPass
{
    private int Messages(TextField field, int at, int end, int to)
    {
        var list = _list?.Begins(field) == true ? _list : null;
        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        to = field.Name.CopyTo(ref MemoryMarshal.GetArrayDataReference(_target), to);
        var open = to;
        do
        {
            var start = at - field.TagLength;
            ReadOnlySpan<byte> text = default;
            var same = list?.Match(_source.AsSpan(start, end - start), start, to, out text) ?? 0;
            if (same > 0)
            {
                Reserve(to, text.Length + Slack);
                text.CopyTo(_target.AsSpan(to));
                _target[to] = (byte)','; // the first of all has a bracket there
                to += text.Length;
                at = start + same;
            }
            else
            {
                list?.Add(start, to);
                to = Item(field, ref at, end, to);
            }
        }
        while (Continues(field, ref source, ref at, end));
        list?.End(at, to);
        _position = at;
        return Close(open, to, (byte)'[', (byte)']');
    }

    private int Item(TextField field, ref int at, int end, int to)
    {
        if (to > _limit)
        {
            Reserve(to, Slack);
        }

        var length = WireBytes.Length(ref MemoryMarshal.GetArrayDataReference(_source), ref at, end);
        _target[to] = (byte)',';
        to = Message(field.Message!, at, at + length, to + 1);
        at += length;
        return to;
    }

    // Each with its tag, or all behind one.
    private int Values(TextField field, int at, int end, int to)
    {
        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        var isPacked = field.Kind is TextKind.Packed;
        if (isPacked)
        {
            var length = WireBytes.Length(ref source, ref at, end);
            end = at + length;
        }

        var before = to;
        to = field.Name.CopyTo(ref MemoryMarshal.GetArrayDataReference(_target), to);
        var (open, start) = (to, at);
        for (var more = !isPacked || at < end; more; more = isPacked ? at < end : Continues(field, ref source, ref at, end))
        {
            start = at;
            to = Value(field, ref at, end, to);
        }

        if (isPacked && at != end)
        {
            throw new EncodingException("a packed value runs past the end of its field", start);
        }

        _position = at;
        return to == open ? before : Close(open, to, (byte)'[', (byte)']');
    }

    // One value of a list, with a comma before it.
    private int Value(TextField field, ref int at, int end, int to)
    {
        if (to > _limit)
        {
            Reserve(to, Slack);
        }

        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        ref var target = ref MemoryMarshal.GetArrayDataReference(_target);
        Unsafe.Add(ref target, to) = (byte)',';
        switch (field.Element)
        {
            case TextKind.Bool:
                return field.Values[WireBytes.Varint(ref source, ref at) != 0 ? 1 : 0].CopyTo(ref target, to);
            case TextKind.Enum:
                return Enum(field, (int)WireBytes.Varint(ref source, ref at), ref target, to);
            case TextKind.Int32:
                return TextNumbers.Write(ref target, to + 1, (int)WireBytes.Varint(ref source, ref at));
            case TextKind.UInt32:
                return TextNumbers.Write(ref target, to + 1, (uint)WireBytes.Varint(ref source, ref at));
            case TextKind.Int64 or TextKind.UInt64:
                return Quoted(field.Element, ref target, to + 1, WireBytes.Varint(ref source, ref at));
            case TextKind.Float:
                var single = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref source, at));
                at += sizeof(uint);
                return TextFloats.Write(ref target, to + 1, single);
            case TextKind.Double:
                var bits = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref source, at));
                at += sizeof(ulong);
                return TextFloats.Write(ref target, to + 1, bits);
            default:
                var length = WireBytes.Length(ref source, ref at, end);
                at += length;
                return Quoted(field, at - length, length, to + 1);
        }
    }

    private static bool Continues(TextField field, ref byte source, ref int at, int end)
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
