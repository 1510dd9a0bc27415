namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The longest that is read of each kind; what a file says is held to it before memory is taken.</summary>
internal static class McapLimits
{
    /// <summary>A chunk's records, compressed or not, and a message outside of chunks: 1 GiB.</summary>
    public const int Chunk = 1 << 30;

    /// <summary>An attachment: 1 GiB.</summary>
    public const int Attachment = 1 << 30;

    /// <summary>A schema, a channel or a metadata record: 64 MiB.</summary>
    public const int Record = 64 << 20;

    /// <summary>The summary with its offsets: 256 MiB, the index of some million chunks.</summary>
    public const int Summary = 256 << 20;

    /// <summary>
    /// Messages outside of chunks are read in runs that end after so many bytes: as long as our own chunks.
    /// </summary>
    public const int Run = 8 << 20;

    // A block of zstd makes 128 KiB at most, of four bytes at least: its head and one byte to repeat.
    private const long MostOfBlock = 128 << 10;
    private const long LeastBlock = 4;

    // Matches come to 200 bytes of one at most; what small chunks may make is no danger.
    private const long Usual = 64 << 20;
    private const long MostOfByte = 256;

    /// <summary>Whether that many bytes of zstd can make so many.</summary>
    public static bool CanMake(long compressed, long uncompressed) =>
        uncompressed <= ((compressed / LeastBlock) + 1) * MostOfBlock;

    /// <summary>Whether so many bytes are made of that many zstd: what they cost is bounded by what the file holds.</summary>
    public static bool MayMake(long compressed, long uncompressed) =>
        uncompressed <= Usual + (compressed * MostOfByte);
}
