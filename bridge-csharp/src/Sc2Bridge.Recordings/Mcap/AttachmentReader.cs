using System.Buffers.Binary;
using System.IO.Hashing;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Reads attachments whole.</summary>
internal static class AttachmentReader
{
    /// <summary>Reads one, and checks its CRC.</summary>
    /// <param name="bytes">The file.</param>
    /// <param name="index">Where it was found.</param>
    /// <exception cref="McapException">It is damaged.</exception>
    public static Attachment Read(IRecordingBytes bytes, AttachmentIndex index)
    {
        var content = new byte[index.Length - McapFormat.RecordHeadLength];
        bytes.Read((long)index.Offset + McapFormat.RecordHeadLength, content);
        var fields = new RecordFields(content, (long)index.Offset + McapFormat.RecordHeadLength);
        var (logTime, createTime, name, mediaType) = (fields.UInt64(), fields.UInt64(), fields.Text(), fields.Text());
        var size = fields.UInt64();
        var start = fields.Position;
        fields.Take(size);
        var covered = fields.Position;
        var crc = fields.UInt32();
        return crc == 0 || Crc32.HashToUInt32(content.AsSpan(0, covered)) == crc
            ? new Attachment(logTime, createTime, name, mediaType, content.AsMemory(start, covered - start))
            : throw new McapException($"attachment {name} has another CRC than it should", (long)index.Offset);
    }
}
