namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Reads the content of records. Additional fields at the end are skipped, because later versions of the format may add fields
/// (https://mcap.dev/spec, "Records").
/// </summary>
internal static class RecordReader
{
    /// <summary>The largest size of a chunk's fields before its records, if the name of the compression has at most 64 bytes.</summary>
    public const int MostChunkHead = McapFormat.RecordHeadLength + (4 * sizeof(ulong)) + (2 * sizeof(uint)) + 64;

    public static Header Header(RecordFields fields) => new(fields.Text(), fields.Text());

    public static Footer Footer(RecordFields fields) => new(fields.UInt64(), fields.UInt64(), fields.UInt32());

    public static Schema Schema(RecordFields fields) =>
        new(fields.UInt16(), fields.Text(), fields.Text(), fields.Bytes().ToArray());

    public static Channel Channel(RecordFields fields) =>
        new(fields.UInt16(), fields.UInt16(), fields.Text(), fields.Text(), fields.Texts());

    public static MessageHead MessageHead(RecordFields fields) =>
        new(fields.UInt16(), fields.UInt32(), fields.UInt64(), fields.UInt64());

    /// <summary>The fields of a chunk before its records.</summary>
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
