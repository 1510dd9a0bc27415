namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The kind of a record: its first byte (https://mcap.dev/spec, "Records").</summary>
internal enum Opcode : byte
{
    /// <summary>The file's first record.</summary>
    Header = 0x01,

    /// <summary>The file's last record.</summary>
    Footer = 0x02,

    /// <summary>The format of messages.</summary>
    Schema = 0x03,

    /// <summary>A topic with one type of messages.</summary>
    Channel = 0x04,

    /// <summary>A message of a channel.</summary>
    Message = 0x05,

    /// <summary>Schemas, channels and messages, compressed together.</summary>
    Chunk = 0x06,

    /// <summary>The positions of one channel's messages in the chunk before it.</summary>
    MessageIndex = 0x07,

    /// <summary>The position of a chunk in the file.</summary>
    ChunkIndex = 0x08,

    /// <summary>A named file inside the file.</summary>
    Attachment = 0x09,

    /// <summary>The position of an attachment in the file.</summary>
    AttachmentIndex = 0x0A,

    /// <summary>How many messages, channels, chunks and other records the file has.</summary>
    Statistics = 0x0B,

    /// <summary>Names and values.</summary>
    Metadata = 0x0C,

    /// <summary>The position of a metadata record in the file.</summary>
    MetadataIndex = 0x0D,

    /// <summary>The position of the summary's records of one kind.</summary>
    SummaryOffset = 0x0E,

    /// <summary>The last record before the summary.</summary>
    DataEnd = 0x0F,
}
