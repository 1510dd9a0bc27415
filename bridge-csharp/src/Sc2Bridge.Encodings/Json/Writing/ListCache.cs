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
internal sealed class ListCache(TextField list)
{
    private ItemPlaces _old = new();
    private ItemPlaces _new = new();
    private byte[] _oldSource = [];
    private MessageBuffer? _oldText;
    private bool _begun;
    private int _next;
    private ulong _key;

    public TextField Field => list;

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

    // The bytes behind a unit's display type and alliance are its tag. A wrong guess costs only time.
    private ulong Key(ReadOnlySpan<byte> source)
    {
        const int Skipped = 4;
        var start = list.TagLength;
        while (start < source.Length && source[start] >= 0x80)
        {
            start++;
        }

        start += 1 + Skipped;
        return source.Length < start + sizeof(ulong) ? 0 : BinaryPrimitives.ReadUInt64LittleEndian(source[start..]);
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
