namespace Sc2Bridge.Protocol.Tests;

/// <summary>Writes legal and illegal fields byte by byte. It shares no code with the tested writer.</summary>
internal static class Wire
{
    public static byte[] Varint(ulong value)
    {
        var bytes = new List<byte>();
        for (; value >= 0x80; value >>= 7)
        {
            bytes.Add((byte)(value | 0x80));
        }

        bytes.Add((byte)value);
        return [.. bytes];
    }

    public static byte[] Tag(int number, int kind) => Varint(((ulong)number << 3) | (uint)kind);

    public static byte[] Number(int number, ulong value) => [.. Tag(number, 0), .. Varint(value)];

    public static byte[] Bytes(int number, params byte[] value) =>
        [.. Tag(number, 2), .. Varint((ulong)value.Length), .. value];
}
