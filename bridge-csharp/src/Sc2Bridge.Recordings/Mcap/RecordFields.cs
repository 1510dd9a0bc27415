using System.Buffers.Binary;
using System.Text;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Reads the fields of a record in order (https://mcap.dev/spec, "Serialization"). Every length is checked against the end of the record.
/// </summary>
/// <param name="content">The record's content.</param>
/// <param name="offset">The content's position in the file, for errors.</param>
internal ref struct RecordFields(ReadOnlySpan<byte> content, long offset)
{
    private static readonly Dictionary<string, string> NoTexts = [];
    private static readonly UTF8Encoding Utf8 = new(false, throwOnInvalidBytes: true);

    private readonly ReadOnlySpan<byte> _content = content;
    private int _at;

    /// <summary>Whether all fields were read.</summary>
    public readonly bool IsAtEnd => _at == _content.Length;

    /// <summary>The number of bytes read.</summary>
    public readonly int Position => _at;

    public ushort UInt16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(sizeof(ushort)));

    public uint UInt32() => BinaryPrimitives.ReadUInt32LittleEndian(Take(sizeof(uint)));

    public ulong UInt64() => BinaryPrimitives.ReadUInt64LittleEndian(Take(sizeof(ulong)));

    public string Text()
    {
        var at = _at;
        try
        {
            return Utf8.GetString(Bytes());
        }
        catch (ArgumentException invalid)
        {
            throw new McapException("a text is not valid UTF-8", offset + at, innerException: invalid);
        }
    }

    /// <summary>Bytes that follow their length, which is a 32-bit number.</summary>
    public ReadOnlySpan<byte> Bytes() => Take(UInt32());

    public IReadOnlyDictionary<string, string> Texts()
    {
        var entries = Entries();
        if (entries.IsAtEnd)
        {
            // Most channels have no metadata, and a file can have 65,535 channels, so they share one empty map.
            return NoTexts;
        }

        var texts = new Dictionary<string, string>();
        while (!entries.IsAtEnd)
        {
            // The format does not define duplicate keys. The last value counts.
            texts[entries.Text()] = entries.Text();
        }

        return texts;
    }

    /// <summary>A map from channels to numbers.</summary>
    public Dictionary<ushort, ulong> Numbers()
    {
        var numbers = new Dictionary<ushort, ulong>();
        for (var entries = Entries(); !entries.IsAtEnd;)
        {
            numbers[entries.UInt16()] = entries.UInt64();
        }

        return numbers;
    }

    /// <summary>Reads the next bytes.</summary>
    public ReadOnlySpan<byte> Take(ulong count)
    {
        var remaining = _content.Length - _at;
        if (count > (ulong)remaining)
        {
            throw new McapException($"a field has {count} bytes, but its record has only {remaining} bytes left", offset + _at);
        }

        var taken = _content.Slice(_at, (int)count);
        _at += (int)count;
        return taken;
    }

    // Reads an array or a map, which begins with its size in bytes. The result reads the entries.
    private RecordFields Entries()
    {
        var bytes = Bytes();
        return new RecordFields(bytes, offset + _at - bytes.Length);
    }
}
