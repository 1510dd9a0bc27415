namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// The positions at which the items of a list start, in the message and in the message's text. The last position is the end of the list.
/// </summary>
internal sealed class ItemPositions
{
    private ulong[] _keys = new ulong[1];

    public int[] SourceStarts { get; private set; } = new int[2];

    public int[] TextStarts { get; private set; } = new int[2];

    public int Count { get; private set; }

    public void Clear() => Count = 0;

    public void Add(int source, int text, ulong key)
    {
        Reserve(1);
        (SourceStarts[Count], TextStarts[Count], _keys[Count]) = (source, text, key);
        Count++;
    }

    public void AddRange(ItemPositions from, int first, int end, int source, int text)
    {
        Reserve(end - first);
        from._keys.AsSpan(first, end - first).CopyTo(_keys.AsSpan(Count));
        var (bySource, byText) = (source - from.SourceStarts[first], text - from.TextStarts[first]);
        CopyShifted(from.SourceStarts.AsSpan(first, end - first), SourceStarts.AsSpan(Count), bySource);
        CopyShifted(from.TextStarts.AsSpan(first, end - first), TextStarts.AsSpan(Count), byText);
        Count += end - first;
    }

    public void End(int source, int text) => (SourceStarts[Count], TextStarts[Count]) = (source, text);

    public int Find(ulong key, int from)
    {
        var keys = _keys.AsSpan(0, Count);
        var found = from < Count ? keys[from..].IndexOf(key) : -1;
        return found >= 0 ? from + found : keys[..Math.Min(from, Count)].IndexOf(key);
    }

    private static void CopyShifted(ReadOnlySpan<int> from, Span<int> to, int by)
    {
        for (var index = 0; index < from.Length; index++)
        {
            to[index] = from[index] + by;
        }
    }

    private static T[] Larger<T>(T[] array, int size)
    {
        Array.Resize(ref array, size);
        return array;
    }

    private void Reserve(int more)
    {
        if (Count + more > _keys.Length)
        {
            var size = (Count + more) * 2;
            SourceStarts = Larger(SourceStarts, size + 1);
            TextStarts = Larger(TextStarts, size + 1);
            _keys = Larger(_keys, size);
        }
    }
}
