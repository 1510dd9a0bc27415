using System.Buffers.Binary;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Caches the text of one list of messages. The cache keeps the previous message, its text, and the positions of the list's items in both.
/// If an item has the same bytes as before, its text is copied. The text is correct whatever the previous message was. Not thread-safe.
/// </summary>
/// <remarks>
/// Unchanged items usually follow each other. Each item is therefore compared first with the cached item after the last match. If the two
/// differ, the cache searches for a cached item with the same key (in units, the tag). So matches continue after items that were added,
/// removed or moved.
/// </remarks>
/// <param name="list">The list's field.</param>
internal sealed class ListCache(TextField list)
{
    private ItemPositions _old = new();
    private ItemPositions _new = new();
    private byte[] _oldSource = [];
    private MessageBuffer? _oldText;
    private bool _hasBegun;
    private int _next;
    private ulong _key;

    public TextField Field => list;

    /// <summary>Returns true only once in a message, at the first item of the list.</summary>
    public bool TryBegin(TextField candidate)
    {
        if (_hasBegun || candidate != list)
        {
            return false;
        }

        _hasBegun = true;
        return true;
    }

    /// <summary>Finds items that are the same as in the previous message.</summary>
    /// <param name="source">The bytes from the next item's field tag to the end of the message that contains the list.</param>
    /// <param name="start">The position of these bytes in the whole message.</param>
    /// <param name="to">The position of the items' text in the output.</param>
    /// <param name="text">The text of the items that were found. The first byte is the comma or bracket before the first item.</param>
    /// <returns>The size of the found items in the message; 0 if the next item differs. After 0, write the item and call <see cref="Add"/>.</returns>
    public int Match(ReadOnlySpan<byte> source, int start, int to, out ReadOnlySpan<byte> text)
    {
        text = default;
        var found = FirstDifferent(source);
        if (found == _next)
        {
            _key = Key(source);
            var index = _old.Find(_key, _next);
            if (index < 0)
            {
                return 0;
            }

            _next = index;
            found = FirstDifferent(source);
            if (found == index)
            {
                _next = index + 1;
                return 0;
            }
        }

        var (first, length) = (_next, _old.SourceStarts[found] - _old.SourceStarts[_next]);
        text = _oldText!.Array.AsSpan(_old.TextStarts[first], _old.TextStarts[found] - _old.TextStarts[first]);
        _new.AddRange(_old, first, found, start, to);
        _next = found;
        return length;
    }

    /// <summary>Stores the positions of an item that <see cref="Match"/> did not find.</summary>
    public void Add(int start, int to) => _new.Add(start, to, _key);

    /// <summary>Stores the end of the list.</summary>
    /// <param name="at">The end of the list in the message.</param>
    /// <param name="to">The end of the last item's text.</param>
    public void End(int at, int to) => _new.End(at, to);

    /// <summary>Removes the positions of the list if it starts at this byte of the message or later. Called when the list's text was discarded.</summary>
    public void ClearFrom(int start)
    {
        if (_new.Count > 0 && _new.SourceStarts[0] >= start)
        {
            _new.Clear();
        }
    }

    /// <summary>Makes the message that was just written the previous message of the cache.</summary>
    /// <param name="source">The message's bytes; on return, the array of an older message, to be reused.</param>
    /// <param name="text">The message's text. The cache holds a reference to the text until the next message.</param>
    public void Keep(ref byte[] source, MessageBuffer text)
    {
        text.Retain();
        _oldText?.Release();
        _oldText = text;
        (_oldSource, source) = (source, _oldSource);
        (_old, _new) = (_new, _old);
        Begin();
    }

    /// <summary>Empties the cache.</summary>
    public void Clear()
    {
        _oldText?.Release();
        _oldText = null;
        _old.Clear();
        Begin();
    }

    private void Begin()
    {
        _new.Clear();
        (_hasBegun, _next) = (false, 0);
    }

    // In a unit, the tag follows the display type and the alliance, which take four bytes. A wrong key only costs time.
    private ulong Key(ReadOnlySpan<byte> source)
    {
        const int SkippedBytes = 4;
        var start = list.TagLength;
        while (start < source.Length && source[start] >= 0x80)
        {
            start++;
        }

        start += 1 + SkippedBytes;
        return source.Length < start + sizeof(ulong) ? 0 : BinaryPrimitives.ReadUInt64LittleEndian(source[start..]);
    }

    // Compares the bytes with the cached items from _next on. Returns the index of the first item that differs.
    private int FirstDifferent(ReadOnlySpan<byte> source)
    {
        var index = _next;
        if (index >= _old.Count)
        {
            return index;
        }

        var start = _old.SourceStarts[index];
        var common = source.CommonPrefixLength(_oldSource.AsSpan(start, _old.SourceStarts[_old.Count] - start));
        while (index < _old.Count && _old.SourceStarts[index + 1] - start <= common)
        {
            index++;
        }

        return index;
    }
}
