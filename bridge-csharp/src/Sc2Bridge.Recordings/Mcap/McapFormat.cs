namespace Sc2Bridge.Recordings.Mcap;

/// <summary>What holds for every MCAP file (https://mcap.dev/spec).</summary>
public static class McapFormat
{
    /// <summary>The bytes of a record before its content: the opcode, and the content's length in 64 bits.</summary>
    public const int RecordHeadLength = 1 + sizeof(ulong);

    /// <summary>A message's fields before its data: channel, sequence, two times.</summary>
    public const int MessageHeadLength = sizeof(ushort) + sizeof(uint) + (2 * sizeof(ulong));

    /// <summary>A footer's content: two offsets and the summary's CRC.</summary>
    public const int FooterLength = (2 * sizeof(ulong)) + sizeof(uint);

    /// <summary>The name of zstd among the compressions; the empty name is none.</summary>
    public const string Zstd = "zstd";

    /// <summary>The name of protobuf among the encodings of messages and of schemas.</summary>
    public const string Protobuf = "protobuf";

    /// <summary>The file's first and last bytes; <c>0</c> is the format's version.</summary>
    public static ReadOnlySpan<byte> Magic => [0x89, (byte)'M', (byte)'C', (byte)'A', (byte)'P', (byte)'0', 0x0D, 0x0A];
}
