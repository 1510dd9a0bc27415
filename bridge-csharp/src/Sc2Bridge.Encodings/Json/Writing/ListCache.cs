using System.Buffers.Binary;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// What is remembered of one list of messages, to take over the text of items whose bytes did not change: the last
/// message's bytes, its text, and where each item stands in both. Whatever the last message was, the text is right:
/// only equal bytes are taken over. For one thread.
/// </summary>
/// <remarks>
/// Items that did not change stand in runs, so bytes are compared from where the last run ended. An item that differs
/// is looked for by the beginning of its content, which tells what it is (a unit's tag), so that a run is found again
/// behind items that are new, gone or elsewhere.
/// </remarks>
/// <param name="list">The list.</param>
/// <param name="from">
/// The number of the first field of the rest of an item: what is below changes often, and the rest of an item that
/// changed is taken over where it stayed the same.
/// </param>
internal sealed class ListCache(TextField list, int from)
{
    // Whether a member of a oneof is the last must be seen in one piece.
    private readonly int _from = list.Message!.Fields.Any(field => field?.OneofBit > 0) ? 1 : from;
    private ItemPlaces _old = new();
    private ItemPlaces _new = new();
    private byte[] _oldSource = [];
    private MessageBuffer? _oldText;
    private bool _begun;
    private int _next;
    private int _changed;
    private ulong _key;

    /// <summary>The list.</summary>
    public TextField Field => list;

    /// <summary>The number of the first field of the rest of an item.</summary>
    public int From => _from;

    /// <summary>True at the first run of the list in a message.</summary>
    public bool Begins(TextField candidate)
    {
        if (_begun || candidate != list)
        {
            return false;
        }

        _begun = true;
        return true;
    }

    /// <summary>Looks for items that stand here as they stood in the last message.</summary>
    /// <param name="source">From the next item's tag to the end of the message that the list is in.</param>
    /// <param name="start">Where that is in the whole message.</param>
    /// <param name="to">Where their text will stand.</param>
    /// <param name="text">Their text, with one byte before it that was a comma or a bracket.</param>
    /// <returns>How many bytes of the message they take; 0 where the next item is to be written and added.</returns>
    public int Match(ReadOnlySpan<byte> source, int start, int to, out ReadOnlySpan<byte> text)
    {
        text = default;
        var found = Same(source);
        if (found == _next)
        {
            _key = Key(source);
            var index = _old.Find(_key, _next);
            _changed = index;
            if (index < 0)
            {
                return 0;
            }

            _next = index;
            found = Same(source);
            if (found == index)
            {
                _next = index + 1;
                return 0;
            }
        }

        var (first, length) = (_next, _old.Source[found] - _old.Source[_next]);
        text = _oldText!.Array.AsSpan(_old.Text[first], _old.Text[found] - _old.Text[first]);
        _new.AddRange(_old, first, found, start, to);
        _next = found;
        return length;
    }

    /// <summary>The item that was just looked for is written now.</summary>
    public void Add(int start, int to) => _new.Add(start, to, _key);

    /// <summary>Where the rest of an item begins: at the first field of its number or a higher one.</summary>
    /// <param name="source">The message.</param>
    /// <param name="at">Where the item's content begins.</param>
    /// <param name="end">Where it ends.</param>
    public int Middle(ref byte source, int at, int end)
    {
        while (at < end)
        {
            var next = at;
            var tag = (uint)WireBytes.Varint(ref source, ref next);
            if (tag >> 3 >= (uint)_from)
            {
                return at;
            }

            at = WireBytes.Skip(ref source, tag, next, end);
        }

        return end;
    }

    /// <summary>The longest head that <see cref="TryHead"/> gives.</summary>
    public const int LongestHead = 1024;

    /// <summary>The text of the head of the item that was just looked for, where it stayed the same.</summary>
    /// <param name="source">Its bytes: the item's content up to the rest.</param>
    /// <param name="text">Its text, from the opening bracket on.</param>
    public bool TryHead(ReadOnlySpan<byte> source, out ReadOnlySpan<byte> text)
    {
        text = default;
        if (_changed < 0)
        {
            return false;
        }

        var content = _old.Source[_changed] + list.TagLength;
        while (_oldSource[content++] >= 0x80)
        {
        }

        if (!source.SequenceEqual(_oldSource.AsSpan(content, _old.RestSource[_changed] - content)))
        {
            return false;
        }

        // Behind the comma; a head without fields has no text.
        var start = _old.Text[_changed] + 1;
        text = _oldText!.Array.AsSpan(start, _old.RestText[_changed] - start);
        return text.Length is > 1 and <= LongestHead;
    }

    /// <summary>The text of the rest of the item that was just looked for, where it stayed the same.</summary>
    /// <param name="source">Its bytes.</param>
    /// <param name="text">Its text, the first byte of which was a comma or a bracket.</param>
    public bool TryRest(ReadOnlySpan<byte> source, out ReadOnlySpan<byte> text)
    {
        text = default;
        if (_changed < 0)
        {
            return false;
        }

        var (start, end) = (_old.RestSource[_changed], _old.Source[_changed + 1]);
        if (source.IsEmpty || !source.SequenceEqual(_oldSource.AsSpan(start, end - start)))
        {
            return false;
        }

        start = _old.RestText[_changed];
        text = _oldText!.Array.AsSpan(start, _old.Text[_changed + 1] - start);
        return text.Length > 2;
    }

    /// <summary>Where the rest of the item that was added last begins in the message and in the text.</summary>
    public void AddRest(int start, int to) => _new.AddRest(start, to);

    /// <summary>The list is written.</summary>
    /// <param name="at">Where it ends in the message.</param>
    /// <param name="to">Where its last item ends in the text.</param>
    public void End(int at, int to) => _new.End(at, to);

    /// <summary>The text from here on was thrown away.</summary>
    public void ForgetFrom(int start)
    {
        if (_new.Count > 0 && _new.Source[0] >= start)
        {
            _new.Clear();
        }
    }

    /// <summary>The message is written: what is remembered of it takes the place of the last one's.</summary>
    /// <param name="source">Its bytes; those of the last are given in exchange.</param>
    /// <param name="text">Its text, which is held until the next.</param>
    public void Keep(ref byte[] source, MessageBuffer text)
    {
        text.Retain();
        _oldText?.Release();
        _oldText = text;
        (_oldSource, source) = (source, _oldSource);
        (_old, _new) = (_new, _old);
        Begin();
    }

    /// <summary>Nothing is remembered any more.</summary>
    public void Forget()
    {
        _oldText?.Release();
        _oldText = null;
        _old.Clear();
        Begin();
    }

    private void Begin()
    {
        _new.Clear();
        (_begun, _next) = (false, 0);
    }

    // Twelve bytes at the beginning of an item's content, mixed: those of a unit hold its tag. Only speed rests on it.
    private ulong Key(ReadOnlySpan<byte> source)
    {
        const int Length = sizeof(ulong) + sizeof(uint);
        var start = list.TagLength;
        while (start < source.Length && source[start] >= 0x80)
        {
            start++;
        }

        return source.Length < start + 1 + Length
            ? 0
            : (BinaryPrimitives.ReadUInt64LittleEndian(source[(start + 1)..]) * 0x9E37_79B9_7F4A_7C15)
                ^ BinaryPrimitives.ReadUInt32LittleEndian(source[(start + 1 + sizeof(ulong))..]);
    }

    // The first of the remembered items, from the next one on, that does not stand here unchanged.
    private int Same(ReadOnlySpan<byte> source)
    {
        var index = _next;
        if (index >= _old.Count)
        {
            return index;
        }

        var start = _old.Source[index];
        var common = source.CommonPrefixLength(_oldSource.AsSpan(start, _old.Source[_old.Count] - start));
        while (index < _old.Count && _old.Source[index + 1] - start <= common)
        {
            index++;
        }

        return index;
    }
}
