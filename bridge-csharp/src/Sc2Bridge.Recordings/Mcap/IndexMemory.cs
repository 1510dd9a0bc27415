using System.Globalization;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Limits the memory of a file's index: its chunks, attachments, metadata, schemas and channels. A small file can have
/// a large index, because a record of a few bytes takes hundreds of bytes in memory.
/// </summary>
internal sealed class IndexMemory
{
    private const int RecordBytes = 256;
    private const int ItemBytes = 32;
    private const int DamageBytes = 2048;

    private long _bytes;

    /// <summary>Counts a record.</summary>
    /// <param name="offset">The record's position in the file, for the error.</param>
    /// <param name="textBytes">The size of the record's texts and schemas.</param>
    /// <param name="items">The number of entries in the record's lists.</param>
    /// <exception cref="McapException">The index takes more than <see cref="McapLimits.Index"/>.</exception>
    public void Add(long offset, long textBytes = 0, int items = 0) =>
        Count(offset, RecordBytes + (2 * textBytes) + ((long)ItemBytes * items));

    /// <summary>Counts a damaged record, whose exception is stored.</summary>
    /// <exception cref="McapException">The index takes more than <see cref="McapLimits.Index"/>.</exception>
    public void AddDamage(long offset) => Count(offset, DamageBytes);

    private void Count(long offset, long bytes)
    {
        _bytes += bytes;
        if (_bytes > McapLimits.Index)
        {
            throw new McapException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"its chunks, attachments, metadata, schemas and channels take more than {McapLimits.Index} bytes of memory"),
                offset,
                "write it again with fewer and longer chunks (mcap compress IN -o OUT)");
        }
    }
}
