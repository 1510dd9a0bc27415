using System.Buffers.Binary;

namespace Sc2Bridge.Testing;

/// <summary>The beginning of a StarCraft II replay, made up after s2protocol's description.</summary>
public static class MadeUpReplay
{
    public static byte[] Bytes(int build, string? dataVersion)
    {
        var header = new List<byte>();
        Struct(header, dataVersion is null ? 3 : 4);
        Field(header, 0);
        Blob(header, "StarCraft II replay\u001b11"u8);
        Field(header, 1);
        Struct(header, 6);
        foreach (var (field, value) in new[] { 1, 4, 10, 1, build, build }.Index())
        {
            Field(header, field);
            header.Add(9);
            Number(header, value);
        }

        // A field that no reader needs.
        Field(header, 4);
        header.AddRange([6, 1]);
        if (dataVersion is not null)
        {
            Field(header, 5);
            Struct(header, 2);
            Field(header, 0);
            header.AddRange([4, 0]);
            Field(header, 1);
            Blob(header, Convert.FromHexString(dataVersion));
        }

        var file = new byte[1024];
        "MPQ\x1b"u8.CopyTo(file);
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(4), 512);
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(8), 1024);
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(12), (uint)header.Count);
        header.ToArray().CopyTo(file, 16);
        return file;
    }

    private static void Struct(List<byte> to, int fields)
    {
        to.Add(5);
        Number(to, fields);
    }

    private static void Field(List<byte> to, int number) => Number(to, number);

    private static void Blob(List<byte> to, ReadOnlySpan<byte> bytes)
    {
        to.Add(2);
        Number(to, bytes.Length);
        to.AddRange(bytes);
    }

    private static void Number(List<byte> to, long value)
    {
        var size = Math.Abs(value);
        var left = size >> 6;
        to.Add((byte)(((size & 0x3f) << 1) | (value < 0 ? 1u : 0) | (left > 0 ? 0x80u : 0)));
        for (; left > 0; left >>= 7)
        {
            to.Add((byte)((left & 0x7f) | (left > 0x7f ? 0x80u : 0)));
        }
    }
}
