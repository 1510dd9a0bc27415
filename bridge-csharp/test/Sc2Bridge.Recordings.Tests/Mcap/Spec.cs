using System.Buffers.Binary;

namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>A record of a file or a chunk.</summary>
internal sealed record SpecRecord(byte Opcode, long Offset, byte[] Content)
{
    public long Length => 9 + Content.Length;

    public Fields Read() => new(Content);
}

/// <summary>The fields of a record in order, as https://mcap.dev/spec, "Serialization" defines them.</summary>
internal sealed class Fields(byte[] content)
{
    private int _at;

    public bool AtEnd => _at == content.Length;

    /// <summary>The content that was already read.</summary>
    public ReadOnlySpan<byte> Before => content.AsSpan(0, _at);

    public byte U8() => Take(1)[0];

    public ushort U16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(2));

    public uint U32() => BinaryPrimitives.ReadUInt32LittleEndian(Take(4));

    public ulong U64() => BinaryPrimitives.ReadUInt64LittleEndian(Take(8));

    public string Text() => System.Text.Encoding.UTF8.GetString(Take((int)U32()));

    public byte[] Bytes(ulong length) => Take((int)length).ToArray();

    public byte[] Rest() => Take(content.Length - _at).ToArray();

    public Dictionary<string, string> Texts() => Map(fields => fields.Text(), fields => fields.Text());

    public Dictionary<ushort, ulong> Numbers() => Map(fields => fields.U16(), fields => fields.U64());

    public List<T> Array<T>(Func<Fields, T> element)
    {
        var inside = new Fields(Bytes(U32()));
        var elements = new List<T>();
        while (!inside.AtEnd)
        {
            elements.Add(element(inside));
        }

        return elements;
    }

    private Dictionary<TKey, TValue> Map<TKey, TValue>(Func<Fields, TKey> key, Func<Fields, TValue> value)
        where TKey : notnull => Array(fields => (Key: key(fields), Value: value(fields)))
        .ToDictionary(pair => pair.Key, pair => pair.Value);

    private ReadOnlySpan<byte> Take(int length)
    {
        _at += length;
        return content.AsSpan(_at - length, length);
    }
}

/// <summary>Parses a file strictly after https://mcap.dev/spec, without the tested code.</summary>
internal static class Spec
{
    /// <summary>The records between the two magics.</summary>
    public static List<SpecRecord> Records(byte[] file)
    {
        byte[] magic = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A];
        Assert.Equal(magic, file[..8]);
        Assert.Equal(magic, file[^8..]);
        return Split(file[8..^8], 8);
    }

    /// <summary>The records in a range of bytes.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="start">The file offset of the first byte.</param>
    public static List<SpecRecord> Split(byte[] bytes, long start)
    {
        var records = new List<SpecRecord>();
        var fields = new Fields(bytes);
        while (!fields.AtEnd)
        {
            var offset = start + fields.Before.Length;
            var opcode = fields.U8();
            records.Add(new SpecRecord(opcode, offset, fields.Bytes(fields.U64())));
        }

        return records;
    }

    /// <summary>CRC-32, computed bit by bit.</summary>
    public static uint Crc(ReadOnlySpan<byte> bytes)
    {
        var crc = ~0U;
        foreach (var one in bytes)
        {
            crc ^= one;
            for (var bit = 0; bit < 8; bit++)
            {
                crc = (crc & 1) != 0 ? 0xEDB88320 ^ (crc >> 1) : crc >> 1;
            }
        }

        return ~crc;
    }
}
