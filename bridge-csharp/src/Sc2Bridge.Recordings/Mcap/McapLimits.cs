using System.Globalization;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Limits for reading files. With these limits, reading a file takes at most 256 MB of memory. The Python package has
/// the same limits with the same names (recording/_mcap/limits.py), except <see cref="LoadedChunks"/> and
/// <see cref="Run"/>. docs/reference/recording-format.md lists them.
/// </summary>
internal static class McapLimits
{
    /// <summary>
    /// The records of a chunk, compressed or not: 17 MiB. The bridge closes chunks at 8 MiB, unless one message is longer.
    /// </summary>
    public const int Chunk = 17 << 20;

    /// <summary>A message: 16 MiB. Only an observation with large feature layers, or images, has more than 1 MiB.</summary>
    public const int Message = 16 << 20;

    /// <summary>An attachment: 16 MiB. Attachments of real matches have less than 1 MiB.</summary>
    public const int Attachment = 16 << 20;

    /// <summary>The attachment <c>analysis</c>: 4 MiB. The analyses of real matches have less than 100 KiB.</summary>
    public const int Analysis = 4 << 20;

    /// <summary>The header, a schema, a channel or a metadata record: 1 MiB.</summary>
    public const int Record = 1 << 20;

    /// <summary>The summary with its offsets: 16 MiB.</summary>
    public const int Summary = 16 << 20;

    /// <summary>All memory that <see cref="IndexMemory"/> counts for a file: 32 MiB, the index of about 80,000 chunks.</summary>
    public const int Index = 32 << 20;

    /// <summary>The chunks in memory at the same time, for a file with several perspectives: 64 MiB.</summary>
    public const int LoadedChunks = 64 << 20;

    /// <summary>The memory of one parsed message's objects, as <see cref="ParsedSize"/> estimates them: 48 MiB.</summary>
    public const int Parsed = 48 << 20;

    /// <summary>The number of perspectives: StarCraft II has 16 player ids.</summary>
    public const int Perspectives = 16;

    /// <summary>The number of listed gaps.</summary>
    public const int Gaps = 10_000;

    /// <summary>
    /// The size of a run of records outside of chunks. Only a single longer message exceeds it.
    /// </summary>
    public const int Run = 8 << 20;

    /// <summary>The error for a part of the file that is longer than its limit.</summary>
    /// <param name="what">The part, with its article.</param>
    /// <param name="length">The part's size in bytes.</param>
    /// <param name="limit">The limit.</param>
    /// <param name="offset">The part's offset in the file.</param>
    public static McapException TooLong(string what, ulong length, int limit, long offset) => new(
        string.Create(CultureInfo.InvariantCulture, $"{what} of {length} bytes is longer than the {limit} that are read"),
        offset);
}
