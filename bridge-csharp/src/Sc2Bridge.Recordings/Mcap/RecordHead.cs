using System.Buffers.Binary;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>What stands before a record's content.</summary>
/// <param name="Opcode">Its kind; may be none that has a name.</param>
/// <param name="ContentLength">Bytes; not held to anything yet.</param>
internal readonly record struct RecordHead(Opcode Opcode, ulong ContentLength)
{
    // Those above have no meaning yet, and are passed over.
    private const Opcode LastKnown = Opcode.DataEnd;

    /// <summary>Whether readers are to pass over it: reserved for the format's future, or private.</summary>
    public bool IsUnknown => Opcode > LastKnown;

    /// <summary>Reads one.</summary>
    /// <param name="bytes">From its first byte on.</param>
    public static RecordHead Read(ReadOnlySpan<byte> bytes) =>
        new((Opcode)bytes[0], BinaryPrimitives.ReadUInt64LittleEndian(bytes[1..]));
}
