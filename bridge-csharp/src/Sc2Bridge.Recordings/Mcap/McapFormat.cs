namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Constants of the MCAP format (https://mcap.dev/spec).</summary>
public static class McapFormat
{
    /// <summary>The size of a record's opcode and content length, which precede the content.</summary>
    public const int RecordHeadLength = 1 + sizeof(ulong);

    /// <summary>The size of a message's fields before its data: channel, sequence, two times.</summary>
    public const int MessageHeadLength = sizeof(ushort) + sizeof(uint) + (2 * sizeof(ulong));

    /// <summary>The size of a footer's content: two offsets and the summary's CRC.</summary>
    public const int FooterLength = (2 * sizeof(ulong)) + sizeof(uint);

    /// <summary>The name of the zstd compression. The empty name means no compression.</summary>
    public const string Zstd = "zstd";

    /// <summary>The name of the protobuf encoding, for messages and schemas.</summary>
    public const string Protobuf = "protobuf";

    /// <summary>The file's first and last bytes; <c>0</c> is the format's version.</summary>
    public static ReadOnlySpan<byte> Magic => [0x89, (byte)'M', (byte)'C', (byte)'A', (byte)'P', (byte)'0', 0x0D, 0x0A];
}
