namespace Sc2Bridge.Recordings.Mcap;

/// <summary>What kind of record it is (https://mcap.dev/spec, "Records"); the first byte of each.</summary>
internal enum Opcode : byte
{
    /// <summary>The file's first record.</summary>
    Header = 0x01,

    /// <summary>The file's last record.</summary>
    Footer = 0x02,

    /// <summary>How messages are to be read.</summary>
    Schema = 0x03,

    /// <summary>A topic with one kind of messages.</summary>
    Channel = 0x04,

    /// <summary>A message of a channel.</summary>
    Message = 0x05,

    /// <summary>Schemas, channels and messages, compressed together.</summary>
    Chunk = 0x06,

    /// <summary>Where in the chunk before it the messages of one channel stand.</summary>
    MessageIndex = 0x07,

    /// <summary>Where a chunk stands in the file.</summary>
    ChunkIndex = 0x08,

    /// <summary>A named file inside the file.</summary>
    Attachment = 0x09,

    /// <summary>Where an attachment stands in the file.</summary>
    AttachmentIndex = 0x0A,

    /// <summary>How much there is of everything.</summary>
    Statistics = 0x0B,

    /// <summary>Named texts.</summary>
    Metadata = 0x0C,

    /// <summary>Where a metadata record stands in the file.</summary>
    MetadataIndex = 0x0D,

    /// <summary>Where the summary's records of one kind stand in the file.</summary>
    SummaryOffset = 0x0E,

    /// <summary>The last record before the summary.</summary>
    DataEnd = 0x0F,
}
