namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Reads the content of records. What is behind the fields that are known is passed over, as the format may grow
/// (https://mcap.dev/spec, "Records").
/// </summary>
internal static class RecordReader
{
    /// <summary>The most bytes of a chunk's record before its records, for a name of 64 bytes.</summary>
    public const int MostChunkHead = McapFormat.RecordHeadLength + (4 * sizeof(ulong)) + (2 * sizeof(uint)) + 64;

    public static Header Header(RecordFields fields) => new(fields.Text(), fields.Text());

    public static Footer Footer(RecordFields fields) => new(fields.UInt64(), fields.UInt64(), fields.UInt32());

    public static Schema Schema(RecordFields fields) =>
        new(fields.UInt16(), fields.Text(), fields.Text(), fields.Bytes().ToArray());

    public static Channel Channel(RecordFields fields) =>
        new(fields.UInt16(), fields.UInt16(), fields.Text(), fields.Text(), fields.Texts());

    public static MessageHead MessageHead(RecordFields fields) =>
        new(fields.UInt16(), fields.UInt32(), fields.UInt64(), fields.UInt64());

    /// <summary>What stands before the records of a chunk, which follow.</summary>
    public static ChunkHead ChunkHead(ref RecordFields fields) => new(
        fields.UInt64(), fields.UInt64(), fields.UInt64(), fields.UInt32(), fields.Text(), fields.UInt64());

    public static ChunkIndex ChunkIndex(RecordFields fields) => new(
        fields.UInt64(), fields.UInt64(), fields.UInt64(), fields.UInt64(),
        new SortedList<ushort, ulong>(fields.Numbers()), fields.UInt64(), fields.Text(), fields.UInt64(), fields.UInt64());

    public static AttachmentIndex AttachmentIndex(RecordFields fields) => new(
        fields.UInt64(), fields.UInt64(), fields.UInt64(), fields.UInt64(), fields.UInt64(), fields.Text(),
        fields.Text());

    public static Metadata Metadata(RecordFields fields) => new(fields.Text(), fields.Texts());

    public static Statistics Statistics(RecordFields fields) => new(
        fields.UInt64(), fields.UInt16(), fields.UInt32(), fields.UInt32(), fields.UInt32(), fields.UInt32(),
        fields.UInt64(), fields.UInt64(), fields.Numbers());

    public static DataEnd DataEnd(RecordFields fields) => new(fields.UInt32());
}
