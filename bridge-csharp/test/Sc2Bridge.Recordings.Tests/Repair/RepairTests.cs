using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests.Repair;

/// <summary>Which messages a repair keeps of a damaged file. The result is a valid file.</summary>
[Trait("Suite", "Slow")]
public sealed class RepairTests : IDisposable
{
    private static readonly SampleRecording Sample = SampleRecording.Make(150, 5000, 1, 2);

    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_whole_file_stays_what_it_is()
    {
        var (report, bytes) = Repair(Sample.Bytes);
        Assert.Empty(report.LeftOut);
        Assert.Equal(Sample.Layout.Regions.Count, report.Chunks);
        Assert.Equal((long)Sample.Layout.Statistics!.Value.MessageCount, report.Messages);
        IsClean(bytes, Sample.Observations);
        using var recording = RecordingReader.Open(new MemoryBytes(bytes));
        Assert.Equal(Sample.GameInfo, recording.ReadGameInfo());
        Assert.Equal(Sample.End, recording.ReadEnd());
        Assert.Equal([Sample.Gap], recording.ReadGaps());
        Assert.Equal(Sample.Description, recording.Description);
    }

    [Fact]
    public void Of_a_file_that_was_cut_off_all_that_readers_give_is_kept()
    {
        var random = new Random(21);
        for (var turn = 0; turn < 60; turn++)
        {
            var cut = Sample.Bytes[..random.Next((int)Sample.Layout.Regions[1].Offset, Sample.Bytes.Length)];
            var (given, _) = SampleRecording.ReadAll(cut);
            IsClean(Repair(cut).Bytes, given);
        }
    }

    [Fact]
    public void A_damaged_chunk_is_left_out_and_told_as_a_gap()
    {
        var places = Sample.Layout.Regions;
        for (var lost = 0; lost < places.Count; lost++)
        {
            var bytes = Sample.Bytes.ToArray();
            bytes[(int)(places[lost].Offset + places[lost].Length) - 20] ^= 4;
            var (report, repaired) = Repair(bytes);
            var line = Assert.Single(report.LeftOut);
            Assert.Contains($"bytes from byte {places[lost].Offset} on: ", line, StringComparison.Ordinal);
            Assert.Equal(places.Count - 1, report.Chunks);

            var (given, error) = SampleRecording.ReadAll(repaired);
            Assert.Null(error);
            Assert.NotEmpty(given);
            using var recording = RecordingReader.Open(new MemoryBytes(repaired));
            foreach (var perspective in (uint[])[1, 2])
            {
                // Only one range is missing, and the gap record reports exactly that range.
                var (written, kept) = (Of(Sample.Observations, perspective), Of(given, perspective));
                var missing = written.Except(kept).Select(seen => seen.Step).ToList();
                var gap = recording.ReadGaps().SingleOrDefault(gap => gap.Perspective == perspective);
                Assert.Equal(missing.Count > 0, gap is not null);
                if (gap is not null)
                {
                    Assert.Equal("the recording was damaged here", gap.Reason);
                    var end = gap.FirstStep + gap.Steps;
                    var told = written.Select(seen => seen.Step).Where(step => step >= gap.FirstStep && step < end);
                    Assert.Equal(missing, told);
                }

                Assert.Equal(written.Where(kept.Contains), kept);
            }
        }

        static List<Seen> Of(IEnumerable<Seen> all, uint perspective) =>
            [.. all.Where(seen => seen.Perspective == perspective)];
    }

    [Fact]
    public void Messages_of_the_match_count_on_behind_a_gap()
    {
        var places = Sample.Layout.Regions;
        var bytes = Sample.Bytes.ToArray();
        foreach (var lost in (int[])[1, places.Count / 2])
        {
            bytes[(int)(places[lost].Offset + places[lost].Length) - 20] ^= 4;
        }

        var repaired = Repair(bytes).Bytes;
        var again = Repair(repaired).Bytes;
        foreach (var file in (byte[][])[repaired, again])
        {
            using var mcap = new McapFile(new MemoryBytes(file));
            using var cursor = new ChannelCursor(mcap.Chunks, mcap.Layout.Channels.Find(RecordingFormat.Match)!.Id);
            var counts = new List<uint>();
            for (; cursor.Peek(out var message) is not null; cursor.Advance())
            {
                counts.Add(message.Sequence);
            }

            // The repair's start, gap and end, and two gaps in each of two perspectives.
            Assert.Equal(Enumerable.Range(0, 7).Select(count => (uint)count), counts);
        }
    }

    [Fact]
    public void A_file_that_has_lost_its_first_chunk_and_its_summary()
    {
        var chunk = Sample.Layout.Regions[0];
        var bytes = Sample.Bytes[..Sample.DataEnd];
        bytes[(int)(chunk.Offset + chunk.Length) - 20] ^= 4;
        var (given, error) = SampleRecording.ReadAll(bytes);
        Assert.Empty(given);
        Assert.NotNull(error);

        var (report, repaired) = Repair(bytes);
        Assert.Equal(Sample.Layout.Regions.Count - 1, report.Chunks);
        var (kept, _) = SampleRecording.ReadAll(repaired);
        IsClean(repaired, kept);
        Assert.Equal(Sample.Observations.TakeLast(kept.Count), kept);
        Assert.InRange(kept.Count, Sample.Observations.Count - 60, Sample.Observations.Count - 1);
        using var recording = RecordingReader.Open(new MemoryBytes(repaired));
        Assert.Equal([1u, 2u], recording.Perspectives);
        Assert.Equal(Sample.End, recording.ReadEnd());
        Assert.Equal(3, recording.ReadGaps().Count());
    }

    [Fact]
    public void A_chunk_that_calls_itself_the_end_of_the_data_is_damage()
    {
        var chunk = Sample.Layout.Regions[^1];
        var bytes = Sample.Bytes[..Sample.DataEnd];
        bytes[(int)chunk.Offset] = (byte)Opcode.DataEnd;
        var (given, error) = SampleRecording.ReadAll(bytes);
        Assert.Equal(Sample.Observations.Take(given.Count), given);
        Assert.NotNull(error);
    }

    [Fact]
    public void An_attachment_that_cannot_be_told_takes_nothing_else_with_it()
    {
        // The length of its name, in a file without a summary.
        var bytes = Sample.Bytes[..Sample.DataEnd];
        var attachment = Sample.Layout.Attachments[0];
        bytes[(int)attachment.Offset + McapFormat.RecordHeadLength + (2 * sizeof(ulong)) + 3] ^= 0x40;
        var (given, error) = SampleRecording.ReadAll(bytes);
        Assert.Equal(Sample.Observations, given);
        Assert.NotNull(error);

        var (report, repaired) = Repair(bytes);
        var lost = Assert.Single(report.LeftOut);
        Assert.StartsWith($"{attachment.Length} bytes from byte {attachment.Offset} on: ", lost, StringComparison.Ordinal);
        IsClean(repaired, Sample.Observations);
    }

    [Fact]
    public void Chunks_behind_a_damaged_record_are_kept_where_the_summary_knows_them()
    {
        var bytes = Sample.Bytes.ToArray();
        bytes[(int)Sample.Layout.Attachments[0].Offset + 3] ^= 0x80;
        var (given, error) = SampleRecording.ReadAll(bytes);
        Assert.Empty(given);
        Assert.NotNull(error);
        IsClean(Repair(bytes).Bytes, Sample.Observations);
    }

    [Fact]
    public void Only_what_the_summary_says_wrongly_of_a_chunk_is_left_out()
    {
        var bytes = Sample.Bytes.ToArray();
        bytes[(int)Sample.Layout.Regions[3].Offset + McapFormat.RecordHeadLength] ^= 1;
        Assert.NotNull(SampleRecording.ReadAll(bytes).Error);
        IsClean(Repair(bytes).Bytes, Sample.Observations);
    }

    [Fact]
    public void Whatever_bytes_are_changed_the_result_is_clean()
    {
        var random = new Random(22);
        for (var turn = 0; turn < Cases.Of(300); turn++)
        {
            var bytes = Sample.Bytes.ToArray();
            for (var count = random.Next(1, 6); count > 0; count--)
            {
                bytes[random.Next(100, bytes.Length)] ^= (byte)random.Next(1, 256);
            }

            try
            {
                var (_, repaired) = Repair(bytes);
                var (given, error) = SampleRecording.ReadAll(repaired);
                Assert.Null(error);
                Assert.Subset(Sample.Observations.ToHashSet(), given.ToHashSet());
            }
            catch (RecordingException error)
            {
                Assert.DoesNotContain('\n', error.Message);
                Assert.False(File.Exists(Path.Combine(_folder, "clean.mcap")));
            }
        }
    }

    [Fact]
    public void A_file_that_is_there_is_not_overwritten()
    {
        var (from, to) = (Path.Combine(_folder, "a.mcap"), Path.Combine(_folder, "b.mcap"));
        File.WriteAllBytes(from, Sample.Bytes);
        File.WriteAllText(to, "mine");
        foreach (var taken in (string[])[from, to])
        {
            var error = Assert.Throws<RecordingException>(() => RecordingRepair.Repair(from, taken, Ct));
            Assert.Equal($"{taken} already exists: name another file", error.Message);
        }

        Assert.Equal("mine", File.ReadAllText(to));
        var nowhere = Path.Combine(_folder, "none", "c.mcap");
        var refused = Assert.Throws<RecordingException>(() => RecordingRepair.Repair(from, nowhere, Ct));
        Assert.StartsWith($"{nowhere} cannot be written: ", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_repair_that_is_stopped_leaves_nothing()
    {
        var (from, to) = (Path.Combine(_folder, "a.mcap"), Path.Combine(_folder, "b.mcap"));
        File.WriteAllBytes(from, Sample.Bytes);
        Assert.Throws<OperationCanceledException>(
            () => RecordingRepair.Repair(from, to, new CancellationToken(canceled: true)));
        Assert.False(File.Exists(to));
    }

    private (RepairReport Report, byte[] Bytes) Repair(byte[] bytes)
    {
        var (from, to) = (Path.Combine(_folder, "damaged.mcap"), Path.Combine(_folder, "clean.mcap"));
        File.WriteAllBytes(from, bytes);
        var report = RecordingRepair.Repair(from, to, Ct);
        var repaired = File.ReadAllBytes(to);
        File.Delete(to);
        return (report, repaired);
    }

    private static void IsClean(byte[] bytes, IReadOnlyCollection<Seen> observations)
    {
        var (given, error) = SampleRecording.ReadAll(bytes);
        Assert.Null(error);
        Assert.Equal(observations, given);

        // All indexes and CRCs of the new file are right.
        using var recording = RecordingReader.Open(new MemoryBytes(bytes));
        foreach (var perspective in recording.Perspectives)
        {
            using var reader = recording.Observations(perspective);
            var count = recording.Count(perspective);
            Assert.Equal(given.Count(seen => seen.Perspective == perspective), count);
            reader.SeekIndex(count - 1);
            Assert.True(reader.Next(out _) && !reader.Next(out _));
        }
    }
}
