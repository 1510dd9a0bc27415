using System.Buffers.Binary;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The bytes before a record's content.</summary>
/// <param name="Opcode">The kind of the record. It may be unknown.</param>
/// <param name="ContentLength">The size of the content in bytes. It is not checked yet.</param>
internal readonly record struct RecordHead(Opcode Opcode, ulong ContentLength)
{
    // Higher opcodes are not defined yet. Readers skip records with these opcodes.
    private const Opcode LastKnown = Opcode.DataEnd;

    /// <summary>Whether readers must skip the record: its opcode is private or reserved for later versions.</summary>
    public bool IsUnknown => Opcode > LastKnown;

    /// <param name="bytes">Bytes that begin with the record.</param>
    public static RecordHead Read(ReadOnlySpan<byte> bytes) =>
        new((Opcode)bytes[0], BinaryPrimitives.ReadUInt64LittleEndian(bytes[1..]));
}
