using System.Buffers;
using System.Buffers.Binary;
using System.IO.Hashing;
using System.Runtime.InteropServices;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Native;

/// <summary>
/// Reads frames from the chunks of a recording (docs/reference/recording-format.md). It checks the same as the Python reader, except messages in
/// parts of an observation that no column needs. Not thread-safe.
/// </summary>
internal sealed unsafe class RecordedFrames(ObservationRows rows, int rowCount)
{
    // Limits of all readers of recordings.
    private const int MostChunkBytes = 17 << 20;
    private const int MostMessageBytes = 16 << 20;
    private const int MostRecordBytes = 1 << 20;

    // Records of MCAP: https://mcap.dev/spec.
    private const byte Schema = 3;
    private const byte Channel = 4;
    private const byte Message = 5;
    private const byte FirstPrivate = 0x80;
    private const int RecordHead = 9;
    private const int MessageHead = 22;

    private const int ChecksumAt = 4;
    private const int ChecksumBit = 4;

    /// <summary>Reads some frames of a chunk.</summary>
    /// <param name="chunk">The chunk. It is not trusted.</param>
    /// <param name="number">The chunk's number, for errors.</param>
    /// <param name="wanted">For each frame, its index among the chunk's frames, and its index in the columns.</param>
    /// <param name="zstd">The decompressor.</param>
    /// <exception cref="Failure">The chunk or a frame is damaged, or a frame has too many units.</exception>
    public void Read(in Part chunk, int number, ReadOnlySpan<Place> wanted, ZstdDecompressor zstd)
    {
        var size = chunk.RecordsBytes;
        if (size is <= 0 or > MostChunkBytes || chunk.Bytes is <= 0 or > MostChunkBytes || (chunk.IsZstd == 0 && chunk.Bytes != size))
        {
            throw Damaged(number, $"{chunk.Bytes} bytes, and {size} without compression");
        }

        var stored = new ReadOnlySpan<byte>((void*)chunk.Data, (int)chunk.Bytes);
        var memory = chunk.IsZstd == 0 ? null : ArrayPool<byte>.Shared.Rent((int)size);
        try
        {
            var isChecked = memory is not null && Decompress(stored, memory.AsSpan(0, (int)size), zstd, number);
            var records = memory is null ? stored : memory.AsSpan(0, (int)size);
            if (!isChecked && chunk.Crc != 0 && Crc32.HashToUInt32(records) != chunk.Crc)
            {
                throw Damaged(number, "the checksum is wrong");
            }

            fixed (byte* pinned = records)
            {
                ReadFrames(chunk, number, records, wanted);
            }
        }
        finally
        {
            rows.Forget();
            if (memory is not null)
            {
                ArrayPool<byte>.Shared.Return(memory);
            }
        }
    }

    private void ReadFrames(in Part chunk, int number, ReadOnlySpan<byte> records, ReadOnlySpan<Place> wanted)
    {
        var frames = FindFrames(chunk, number, records);
        foreach (var (index, to) in wanted)
        {
            if ((uint)index >= (uint)frames.Length)
            {
                throw Failure.Argument($"frame {index} of chunk {number}: it has {frames.Length} frames");
            }

            var (start, length) = frames[index];
            var step = BinaryPrimitives.ReadUInt32LittleEndian(records[(start + RecordHead + sizeof(ushort))..]);
            int units;
            try
            {
                units = rows.Read(records.Slice(start + RecordHead + MessageHead, length - MessageHead), step, to);
            }
            catch (MalformedMessageException malformed)
            {
                throw Damaged(number, $"the observation of step {step} is malformed: {malformed.Message}");
            }

            if (units > rowCount)
            {
                throw new Failure(Code.TooFewRows, $"the observation of step {step} has {units} units, but there are {rowCount} rows");
            }
        }
    }

    // Checks all records of a chunk. Returns the start and length of the records with frames.
    private static (int Start, int Length)[] FindFrames(in Part chunk, int number, ReadOnlySpan<byte> records)
    {
        var frames = new (int, int)[Math.Clamp(chunk.Frames, 0, records.Length / (RecordHead + MessageHead))];
        var (found, messages, at) = (0, 0, 0);
        while (at < records.Length)
        {
            if (records.Length - at < RecordHead)
            {
                throw Damaged(number, "the last record is cut off");
            }

            var opcode = records[at];
            var length = BinaryPrimitives.ReadUInt64LittleEndian(records[(at + 1)..]);
            if (length > (ulong)(records.Length - at - RecordHead) || (opcode is Schema or Channel && length > MostRecordBytes))
            {
                throw Damaged(number, $"a record of {length} bytes is too long");
            }

            if (opcode == Message)
            {
                if (length is < MessageHead or > MostMessageBytes + MessageHead)
                {
                    throw Damaged(number, $"a message of {length} bytes");
                }

                messages++;
                if (BinaryPrimitives.ReadUInt16LittleEndian(records[(at + RecordHead)..]) == chunk.Channel)
                {
                    if (found < frames.Length)
                    {
                        frames[found] = (at, (int)length);
                    }

                    found++;
                }
            }
            else if (opcode is not (Schema or Channel or >= FirstPrivate))
            {
                throw Damaged(number, $"a record with the opcode {opcode} does not belong there");
            }

            at += RecordHead + (int)length;
        }

        return found == chunk.Frames && messages == chunk.Messages
            ? frames
            : throw Damaged(number, $"it has {found} frames and {messages} messages, not {chunk.Frames} and {chunk.Messages}");
    }

    // Returns whether the zstd frame has a checksum, which was then checked.
    private static bool Decompress(ReadOnlySpan<byte> stored, Span<byte> records, ZstdDecompressor zstd, int number)
    {
        try
        {
            var size = zstd.Decompress(stored, records);
            return size == records.Length
                ? stored.Length > ChecksumAt && (stored[ChecksumAt] & ChecksumBit) != 0
                : throw Damaged(number, $"it decompresses to {size} bytes, not {records.Length}");
        }
        catch (EncodingException damage)
        {
            throw Damaged(number, damage.Message);
        }
    }

    private static Failure Damaged(int number, string what) => new(Code.Damaged, $"chunk {number}: {what}");

    /// <summary>A chunk as the caller gives it.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Part
    {
        public nint Data;
        public long Bytes;
        public long RecordsBytes;
        public uint Crc;
        public int IsZstd;
        public int Channel;
        public int Frames;
        public int Messages;
        public int Wanted;
    }

    /// <summary>The index of a frame in its chunk, and in the columns.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal readonly record struct Place(int Index, int To);
}
