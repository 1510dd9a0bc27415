namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Where the items of a list begin in a message and in its text; the last place is where they end.
/// </summary>
internal sealed class ItemPlaces
{
    private ulong[] _keys = new ulong[1];

    public int[] Source { get; private set; } = new int[2];

    public int[] Text { get; private set; } = new int[2];

    public int Count { get; private set; }

    public void Clear() => Count = 0;

    public void Add(int source, int text, ulong key)
    {
        Reserve(1);
        (Source[Count], Text[Count], _keys[Count]) = (source, text, key);
        Count++;
    }

    public void AddRange(ItemPlaces from, int first, int end, int source, int text)
    {
        Reserve(end - first);
        from._keys.AsSpan(first, end - first).CopyTo(_keys.AsSpan(Count));
        var (bySource, byText) = (source - from.Source[first], text - from.Text[first]);
        Move(from.Source.AsSpan(first, end - first), Source.AsSpan(Count), bySource);
        Move(from.Text.AsSpan(first, end - first), Text.AsSpan(Count), byText);
        Count += end - first;
    }

    public void End(int source, int text) => (Source[Count], Text[Count]) = (source, text);

    public int Find(ulong key, int from)
    {
        var keys = _keys.AsSpan(0, Count);
        var found = from < Count ? keys[from..].IndexOf(key) : -1;
        return found >= 0 ? from + found : keys[..Math.Min(from, Count)].IndexOf(key);
    }

    private static void Move(ReadOnlySpan<int> from, Span<int> to, int by)
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
            Source = Larger(Source, size + 1);
            Text = Larger(Text, size + 1);
            _keys = Larger(_keys, size);
        }
    }
}
