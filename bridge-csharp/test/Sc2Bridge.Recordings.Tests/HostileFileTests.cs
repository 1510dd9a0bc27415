using System.Diagnostics;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Tests;

/// <summary>Files that were made to be expensive to read. The size of a file limits its cost.</summary>
public sealed class HostileFileTests : IDisposable
{
    private static readonly Dictionary<string, string> NoTexts = [];

    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    [Trait("Suite", "Slow")]
    public void Attachments_are_walked_in_one_pass()
    {
        // Ten times as many messages as take a second if the code compares each with all messages before it.
        const int Count = 40_000;
        var path = Path.Combine(_folder, "attachments.mcap");
        using (var sink = new Sink(path))
        using (var writer = new McapWriter(sink, new Header("", "")))
        {
            for (var number = 0; number < Count; number++)
            {
                writer.Add(new Attachment(0, 0, $"attachment {number}", "text/plain", new byte[1]));
            }

            writer.AddChannel(writer.AddSchema("", "", default), "/other", "", NoTexts);
            writer.Finish();
        }

        using var bytes = new CountedBytes(path);
        var began = Stopwatch.GetTimestamp();
        using (var file = new McapFile(bytes))
        {
            Assert.Equal(Count, file.Layout.Attachments.Count);
            Assert.Null(file.Layout.Problem);
        }

        // Each byte is read twice, and the index once. A quadratic algorithm would exceed the time limit.
        Assert.InRange(bytes.Bytes, bytes.Length, 3 * bytes.Length);
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, 0, 5);
    }

    [Theory]
    [InlineData(1 << 30, 8192, 24)] // Refused: a GiB in 32 KiB.
    [InlineData(McapLimits.Chunk, 128, 12)] // Read, one at a time.
    public void What_chunks_make_of_few_bytes_is_bounded(int claimed, int blocks, int count)
    {
        var path = Path.Combine(_folder, "chunks.mcap");
        using (var sink = new Sink(path))
        {
            var record = MessageBuffer.Rent();
            var writer = new RecordWriter(record);
            writer.Bytes(McapFormat.Magic);
            writer.Write(new Header("", ""));
            writer.Write(new Schema(1, "SC2APIProtocol.ResponseObservation", McapFormat.Protobuf, default));
            writer.Write(new Channel(1, 1, RecordingFormat.Observations(0), McapFormat.Protobuf, NoTexts));
            for (var chunk = 0; chunk < count; chunk++)
            {
                var frame = Zeros(blocks);
                writer.Write(new ChunkHead(0, 0, (ulong)claimed, 0, McapFormat.Zstd, (ulong)frame.Length));
                writer.Bytes(frame);
            }

            sink.Append(record.Written.Span);
            record.Release();
        }

        var before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            RecordingInspection.Inspect(path, Ct);
        }
        catch (RecordingException)
        {
            // The file may be completely unreadable.
        }

        // Memory for a chunk plus an eighth in the store, for one chunk in the inspection, and a margin.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 3L * McapLimits.Chunk);
    }

    [Theory]
    [Trait("Suite", "Slow")]
    [MemberData(nameof(Names))]
    public void Each_limit_is_named_in_one_line(string name)
    {
        var path = Path.Combine(_folder, "hostile.mcap");
        HostileRecording.Write(name, path);
        var (lines, refusal) = (new List<string>(), HostileRecording.Refusal(name));
        try
        {
            lines.AddRange(RecordingInspection.Inspect(path, Ct).Damage);
        }
        catch (RecordingException refused)
        {
            lines.Add(refused.Message);
        }

        Assert.DoesNotContain(lines, line => line.Contains('\n'));
        if (refusal.Length == 0)
        {
            Assert.Empty(lines);
        }
        else
        {
            Assert.StartsWith($"{path}: ", lines[0], StringComparison.Ordinal);
            Assert.Contains(lines, line => line.Contains(refusal, StringComparison.Ordinal));
        }
    }

    [Fact]
    public void An_observation_that_is_too_large_to_parse_is_refused_with_its_chunk()
    {
        var path = Path.Combine(_folder, "units.mcap");
        HostileRecording.Write("empty units in observations", path);
        using var recording = RecordingReader.Open(path);
        using var reader = recording.Observations();
        var refused = Assert.Throws<RecordingException>(() => reader.Next(out _));
        Assert.Equal(
            $"{path}: the observation of step 0 would take more than 50331648 bytes of memory, at byte "
            + $"{recording.File.Layout.Regions[1].Offset}: no match has such a message; record the match again",
            refused.Message);
    }

    // The tests of memory read the recordings that no limit refuses.
    public static TheoryData<string> Names() => [.. HostileRecording.Names.Where(name => HostileRecording.Refusal(name) != "")];

    // A zstd frame. Each of its blocks repeats one zero 128 Ki times.
    private static byte[] Zeros(int blocks)
    {
        const byte windowOf8MiB = 13 << 3;
        List<byte> frame = [0x28, 0xB5, 0x2F, 0xFD, 0, windowOf8MiB];
        for (var block = 1; block <= blocks; block++)
        {
            const int rle = 1 << 1;
            var head = ((128 << 10) << 3) | rle | (block == blocks ? 1 : 0);
            frame.AddRange([(byte)head, (byte)(head >> 8), (byte)(head >> 16), 0]);
        }

        return [.. frame];
    }

    private sealed class Sink(string path) : IByteSink, IDisposable
    {
        private readonly FileStream _file = File.Create(path);

        public void Append(ReadOnlySpan<byte> bytes) => _file.Write(bytes);

        public void Dispose() => _file.Dispose();
    }

    private sealed class CountedBytes(string path) : IRecordingBytes
    {
        private readonly RecordingFile _file = new(path);

        public long Bytes { get; private set; }

        public string Name => _file.Name;

        public long Length => _file.Length;

        public void Read(long offset, Span<byte> target)
        {
            Bytes += target.Length;
            _file.Read(offset, target);
        }

        public void Dispose() => _file.Dispose();
    }
}
