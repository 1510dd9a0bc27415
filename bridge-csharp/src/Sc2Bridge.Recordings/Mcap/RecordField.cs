namespace Sc2Bridge.Recordings.Mcap;

/// <summary>A field of a record: a number of one, two, four or eight bytes, or a content that follows its length.</summary>
internal readonly struct RecordField
{
    private RecordField(ulong number, int width) => (Number, Width) = (number, width);

    private RecordField(object content) => Content = content;

    public ulong Number { get; }

    /// <summary>The number's size in bytes.</summary>
    public int Width { get; }

    /// <summary>The content if the field is not a number: a text, a map of texts, or numbers by channel.</summary>
    public object? Content { get; }

    public static implicit operator RecordField(byte number) => new(number, sizeof(byte));

    public static implicit operator RecordField(ushort number) => new(number, sizeof(ushort));

    public static implicit operator RecordField(uint number) => new(number, sizeof(uint));

    public static implicit operator RecordField(ulong number) => new(number, sizeof(ulong));

    public static implicit operator RecordField(string text) => new(text);

    public static RecordField Map<TKey, TValue>(IReadOnlyDictionary<TKey, TValue> map) => new(map);
}
