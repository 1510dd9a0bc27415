namespace Sc2Bridge.Recordings.Tests;

/// <summary>
/// Seeks in damaged files. They find the content of complete chunks before and after the damage. If the sought content may be
/// in a damaged chunk, the reader reports it.
/// </summary>
public sealed class DamagedSeekTests
{
    // After a chunk's fields before its records, and the header of its zstd frame.
    private const int Payload = 80;

    private readonly List<(Seen Seen, int Place)> _placed = [];

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public void Whatever_chunks_are_damaged(bool hasSummary, bool isLarge)
    {
        // A search reads only the beginning of large chunks.
        var sample = isLarge ? SampleRecording.MakeLarge(60, 1, 2) : SampleRecording.Make(150, 5000, 1, 2);
        ReadPlaces(sample);
        var whole = hasSummary ? sample.Bytes : sample.Bytes[..sample.DataEnd];
        var random = new Random(31);
        for (var turn = 0; turn < (isLarge ? 30 : 300); turn++)
        {
            var bytes = whole.ToArray();
            var damaged = new HashSet<int>();
            for (var count = random.Next(1, 5); count > 0; count--)
            {
                // Not the first place, which holds the recording's description.
                var place = random.Next(1, sample.Layout.Regions.Count);
                var chunk = sample.Layout.Regions[place];
                bytes[random.Next((int)chunk.Offset + Payload, (int)(chunk.Offset + chunk.Length))] ^= 0x11;
                if (!damaged.Add(place))
                {
                    damaged.Clear();
                    bytes = whole.ToArray();
                }
            }

            using var recording = RecordingReader.Open(new MemoryBytes(bytes));
            using var reader = recording.Observations(1);
            for (var seek = 0; seek < 20; seek++)
            {
                Check(reader, damaged, random);
            }
        }
    }

    private void Check(ObservationReader reader, HashSet<int> damaged, Random random)
    {
        var (key, seek) = random.Next(3) switch
        {
            0 => ((Func<Seen, long>)(seen => (long)seen.Step), (Action<long>)(step => reader.SeekStep((ulong)step))),
            1 => (seen => seen.GameLoop, loop => reader.SeekLoop((uint)loop)),
            _ => (seen => seen.ObservedNs, reader.SeekTime),
        };
        var wanted = Math.Max(0, key(_placed[random.Next(_placed.Count)].Seen) + random.Next(-1, 2));
        var found = _placed.FindIndex(placed => key(placed.Seen) >= wanted);
        var before = (found < 0 ? _placed.Count : found) - 1;
        var isHidden = before >= 0 && damaged.Contains(_placed[before].Place)
            && !(found >= 0 && key(_placed[found].Seen) == wanted);
        if (isHidden || (found >= 0 && damaged.Contains(_placed[found].Place)))
        {
            Assert.Throws<RecordingException>(() => seek(wanted));
            return;
        }

        seek(wanted);
        Assert.Equal(found >= 0, reader.Next(out var observation));
        if (found >= 0)
        {
            Assert.Equal(_placed[found].Seen, Seen.Of(observation));
        }
    }

    private void ReadPlaces(SampleRecording sample)
    {
        using var file = new McapFile(new MemoryBytes(sample.Bytes));
        var channel = file.Layout.Channels.Find(RecordingFormat.Observations(1))!.Id;
        using var cursor = new ChannelCursor(file.Chunks, channel);
        using var recording = RecordingReader.Open(new MemoryBytes(sample.Bytes));
        using var reader = recording.Observations(1);
        while (reader.Next(out var observation))
        {
            cursor.Peek(out _);
            _placed.Add((Seen.Of(observation), cursor.Region));
            cursor.Advance();
        }
    }
}
