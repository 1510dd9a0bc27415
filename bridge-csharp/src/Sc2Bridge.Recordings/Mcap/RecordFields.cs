using System.Buffers.Binary;
using System.Text;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// The fields of a record, one after the other (https://mcap.dev/spec, "Serialization"). Every length is held to the
/// record's end.
/// </summary>
/// <param name="content">The record's content.</param>
/// <param name="offset">Where in the file it begins, for errors.</param>
internal ref struct RecordFields(ReadOnlySpan<byte> content, long offset)
{
    private static readonly Dictionary<string, string> NoTexts = [];
    private static readonly UTF8Encoding Utf8 = new(false, throwOnInvalidBytes: true);

    private readonly ReadOnlySpan<byte> _content = content;
    private int _at;

    /// <summary>Whether there is more.</summary>
    public readonly bool IsAtEnd => _at == _content.Length;

    /// <summary>Bytes read.</summary>
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
            throw new McapException("a text is no UTF-8", offset + at, innerException: invalid);
        }
    }

    /// <summary>Bytes with their length before them, in 32 bits.</summary>
    public ReadOnlySpan<byte> Bytes() => Take(UInt32());

    public IReadOnlyDictionary<string, string> Texts()
    {
        var entries = Entries();
        if (entries.IsAtEnd)
        {
            // Most channels have none, and a file can have 65,535 of them.
            return NoTexts;
        }

        var texts = new Dictionary<string, string>();
        while (!entries.IsAtEnd)
        {
            // What comes twice is not defined: the last counts.
            texts[entries.Text()] = entries.Text();
        }

        return texts;
    }

    /// <summary>Numbers by channel.</summary>
    public Dictionary<ushort, ulong> Numbers()
    {
        var numbers = new Dictionary<ushort, ulong>();
        for (var entries = Entries(); !entries.IsAtEnd;)
        {
            numbers[entries.UInt16()] = entries.UInt64();
        }

        return numbers;
    }

    /// <summary>So many bytes.</summary>
    public ReadOnlySpan<byte> Take(ulong count)
    {
        var left = _content.Length - _at;
        if (count > (ulong)left)
        {
            throw new McapException($"a field of {count} bytes where its record has {left} left", offset + _at);
        }

        var taken = _content.Slice(_at, (int)count);
        _at += (int)count;
        return taken;
    }

    // An array or map: its length in bytes, and the entries.
    private RecordFields Entries()
    {
        var bytes = Bytes();
        return new RecordFields(bytes, offset + _at - bytes.Length);
    }
}
