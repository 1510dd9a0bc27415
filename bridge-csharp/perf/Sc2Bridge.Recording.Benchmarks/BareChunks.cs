using System.Buffers.Binary;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recording.Benchmarks;

/// <summary>
/// The zstd frames of a recording's chunks in memory, for zstd alone: no file, no records, no checks.
/// </summary>
internal sealed class BareChunks : IDisposable
{
    // A chunk's fields before the name of its compression.
    private const int SizeAt = 2 * sizeof(ulong);
    private const int NameAt = SizeAt + sizeof(ulong) + sizeof(uint);

    private readonly List<byte[]> _frames = [];
    private readonly ZstdDecompressor _zstd = new();
    private readonly byte[] _records;

    /// <summary>Reads those of a whole file of ours.</summary>
    /// <exception cref="MeasuringException">It has others.</exception>
    public BareChunks(string path)
    {
        var bytes = File.ReadAllBytes(path);
        var longest = 0UL;
        for (var at = McapFormat.Magic.Length; bytes[at] != (byte)Opcode.DataEnd;)
        {
            var length = (int)BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(at + 1));
            var content = bytes.AsSpan(at + McapFormat.RecordHeadLength, length);
            if (bytes[at] == (byte)Opcode.Chunk)
            {
                var frame = content[(NameAt + sizeof(uint) + McapFormat.Zstd.Length + sizeof(ulong))..];
                if (!content[(NameAt + sizeof(uint))..].StartsWith("zstd"u8))
                {
                    throw new MeasuringException($"{path} is not compressed with zstd: give a recording of a match");
                }

                longest = Math.Max(longest, BinaryPrimitives.ReadUInt64LittleEndian(content[SizeAt..]));
                _frames.Add(frame.ToArray());
            }

            at += McapFormat.RecordHeadLength + length;
        }

        _records = GC.AllocateUninitializedArray<byte>((int)longest);
    }

    /// <summary>How many there are.</summary>
    public int Count => _frames.Count;

    /// <summary>Decompresses each into the same memory.</summary>
    /// <returns>Bytes that came of them.</returns>
    public long Decompress()
    {
        long made = 0;
        foreach (var frame in _frames)
        {
            made += _zstd.Decompress(frame, _records);
        }

        return made;
    }

    public void Dispose() => _zstd.Dispose();
}
