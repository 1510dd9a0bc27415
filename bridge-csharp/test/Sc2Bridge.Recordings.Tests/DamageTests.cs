namespace Sc2Bridge.Recordings.Tests;

/// <summary>
/// Damaged and cut-off files. The reader returns every complete chunk before the damage, and then one clear error. It never
/// crashes, and never returns a message that was not written.
/// </summary>
public sealed class DamageTests
{
    private static readonly SampleRecording Sample = SampleRecording.Make(150, 5000, 1, 2);

    // For each chunk, the offset of its end, and all observations up to it in file order.
    private static readonly List<(long End, HashSet<Seen> Observations)> Chunks = ReadChunks();

    [Theory]
    [InlineData(5)]
    [InlineData(1, Traits = ["Suite", "Long"])]
    public void Cut_at_bytes_of_the_last_two_chunks_and_behind(int apart)
    {
        for (var length = (int)Chunks[^3].End; length < Sample.Bytes.Length; length += apart)
        {
            Check(Sample.Bytes[..length], length, mustTell: true);
        }
    }

    [Fact]
    public void Cut_at_random_places()
    {
        var random = new Random(11);
        for (var turn = 0; turn < Cases.Of(1000); turn++)
        {
            var length = random.Next(Sample.Bytes.Length);
            Check(Sample.Bytes[..length], length, mustTell: true);
        }
    }

    [Fact]
    public void Cut_and_filled_up_with_zeros()
    {
        var random = new Random(12);
        for (var turn = 0; turn < Cases.Of(200); turn++)
        {
            var length = random.Next(Sample.Bytes.Length - 1);
            var bytes = Sample.Bytes.ToArray();
            bytes.AsSpan(length).Clear();
            Check(bytes, length, mustTell: true);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_byte_changed_anywhere(bool hasSummary)
    {
        var whole = hasSummary ? Sample.Bytes : Sample.Bytes[..Sample.DataEnd];
        var random = new Random(13);
        for (var turn = 0; turn < Cases.Of(1500); turn++)
        {
            var at = random.Next(whole.Length);
            var bytes = whole.ToArray();
            bytes[at] ^= (byte)(turn % 2 == 0 ? 1 << random.Next(8) : random.Next(1, 256));
            Check(bytes, at, mustTell: false);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_byte_changed_in_what_stands_between_the_chunks(bool hasSummary)
    {
        var whole = hasSummary ? Sample.Bytes : Sample.Bytes[..Sample.DataEnd];
        var random = new Random(14);
        foreach (var place in Sample.Layout.Regions)
        {
            for (var at = place.Offset - 60; at < place.Offset + 60; at++)
            {
                var bytes = whole.ToArray();
                bytes[at] ^= (byte)random.Next(1, 256);
                Check(bytes, at, mustTell: false);
            }
        }
    }

    [Fact]
    public void Bytes_lost_doubled_and_overwritten()
    {
        var random = new Random(15);
        for (var turn = 0; turn < Cases.Of(900); turn++)
        {
            var bytes = Sample.Bytes.ToList();
            var at = random.Next(bytes.Count);
            var count = Math.Min(random.Next(1, 2000), bytes.Count - at);
            switch (turn % 3)
            {
                case 0:
                    bytes.RemoveRange(at, count);
                    break;
                case 1:
                    bytes.InsertRange(at, bytes.GetRange(at, count));
                    break;
                default:
                    var from = random.Next(bytes.Count - count);
                    for (var i = 0; i < count; i++)
                    {
                        bytes[at + i] = Sample.Bytes[from + i];
                    }

                    break;
            }

            Check([.. bytes], at, mustTell: false);
        }
    }

    [Fact]
    public void A_seek_past_damage_gives_the_right_observation_or_the_error()
    {
        var random = new Random(16);
        var loops = Sample.Observations.Where(seen => seen.Perspective == 1).ToList();
        for (var turn = 0; turn < Cases.Of(900); turn++)
        {
            var bytes = Sample.Bytes.ToArray();
            bytes[random.Next(Sample.DataEnd)] ^= (byte)random.Next(1, 256);
            try
            {
                using var recording = RecordingReader.Open(new MemoryBytes(bytes));
                using var reader = recording.Observations(1);
                var loop = (uint)random.Next(310);
                var index = random.Next(loops.Count);
                reader.SeekLoop(loop);
                var found = reader.Next(out var observation) ? Seen.Of(observation) : null;
                var wanted = loops.Find(seen => seen.GameLoop >= loop);
                Assert.True(recording.Problem is not null || found == wanted, $"turn {turn}");
                reader.SeekIndex(index);
                found = reader.Next(out observation) ? Seen.Of(observation) : null;
                Assert.True(recording.Problem is not null || found == loops[index], $"turn {turn}");
            }
            catch (RecordingException error)
            {
                IsClear(error.Message);
            }
        }
    }

    [Fact]
    public void A_damaged_summary_costs_nothing_but_time()
    {
        for (var at = Sample.DataEnd + McapFormat.RecordHeadLength + 4; at < Sample.Bytes.Length; at++)
        {
            var bytes = Sample.Bytes.ToArray();
            bytes[at] ^= 0x10;
            var (given, error) = SampleRecording.ReadAll(bytes);
            Assert.Equal(Sample.Observations, given);
            IsClear(error!);
        }
    }

    [Fact]
    public void A_damaged_attachment_is_told_when_it_is_read_and_troubles_nothing_else()
    {
        var bytes = Sample.Bytes.ToArray();
        var attachment = Assert.Single(Sample.Layout.Attachments);
        bytes[(int)(attachment.Offset + attachment.Length) - 6] ^= 1;
        using var recording = RecordingReader.Open(new MemoryBytes(bytes));
        IsClear(Assert.Throws<RecordingException>(() => recording.ReadGameInfo()).Message);
        var (given, error) = SampleRecording.ReadAll(bytes);
        Assert.Equal(Sample.Observations, given);
        Assert.Null(error);
    }

    private static void Check(byte[] bytes, long damage, bool mustTell)
    {
        var (given, error) = SampleRecording.ReadAll(bytes);
        var whole = Chunks.LastOrDefault(chunk => chunk.End <= damage).Observations ?? [];
        Assert.True(
            given.Count >= whole.Count && whole.IsSubsetOf(given),
            $"damage at {damage}: {given.Count} of {whole.Count}: {error}");

        // The returned messages are a part of the written ones, in order. Only the last ones of each perspective may be missing.
        Assert.Equal(Sample.Observations.Where(given.ToHashSet().Contains), given);
        foreach (var mine in given.ToLookup(seen => seen.Perspective))
        {
            var written = Sample.Observations.Where(seen => seen.Perspective == mine.Key);
            Assert.Equal(written.Take(mine.Count()), mine);
        }

        if (mustTell || given.Count < Sample.Observations.Count)
        {
            Assert.NotNull(error);
        }

        if (error is not null)
        {
            IsClear(error);
        }
    }

    private static void IsClear(string error)
    {
        Assert.StartsWith("match.mcap: ", error, StringComparison.Ordinal);
        Assert.Contains(", at byte ", error, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error);
    }

    private static List<(long End, HashSet<Seen> Observations)> ReadChunks()
    {
        var layout = Sample.Layout;
        using var loader = new ChunkLoader(new MemoryBytes(Sample.Bytes), layout.Channels);
        var known = Sample.Observations.ToDictionary(seen => (seen.Perspective, seen.Step));
        var chunk = new LoadedChunk();
        var observations = new HashSet<Seen>();
        return [.. layout.Regions.Select(place =>
        {
            loader.Load(place, chunk);
            foreach (var channel in layout.Channels.Channels)
            {
                if (RecordingFormat.PerspectiveOf(channel.Topic) is { } perspective)
                {
                    foreach (var message in chunk.MessagesOf(channel.Id))
                    {
                        observations.Add(known[(perspective, message.Sequence)]);
                    }
                }
            }

            return (place.Offset + place.Length, observations.ToHashSet());
        })];
    }
}
