using Sc2Bridge.Streaming;

namespace Sc2Bridge.Recordings.Tests;

/// <summary>Written messages are read correctly, from the first observation or from any other place.</summary>
public sealed class RecordingReaderTests
{
    [Fact]
    public void Everything_is_read_as_it_was_written()
    {
        var sample = SampleRecording.Make();
        Assert.InRange(sample.Layout.Regions.Count, 5, 50);
        using var recording = Open(sample.Bytes);
        Assert.Null(recording.Problem);
        Assert.Equal(sample.Description, recording.Description);
        Assert.Equal(RecordingFormat.Library, recording.Library);
        Assert.Equal([0U], recording.Perspectives);
        Assert.Equal(sample.GameInfo, recording.ReadGameInfo());
        Assert.Null(recording.ReadData());
        Assert.Equal([sample.Gap], recording.ReadGaps());
        Assert.Equal(sample.End, recording.ReadEnd());
        Assert.Equal(sample.Observations, All(recording));
        Assert.Equal(sample.Observations.Count, recording.Count(0));
        Assert.Equal(sample.Observations.Select(seen => seen.Step), recording.Steps().Select(row => row.Step));
        Assert.Empty(recording.Requests());
        Assert.Empty(recording.Actions());
    }

    [Fact]
    public void Perspectives_are_read_together_in_the_order_of_arrival_or_alone()
    {
        // Some messages arrived earlier than messages before them in the file, also across chunks.
        var sample = SampleRecording.Make(200, 4000, 1, 2, 7);
        using var recording = Open(sample.Bytes);
        Assert.Equal([1U, 2U, 7U], recording.Perspectives);
        Assert.Equal(sample.Observations, All(recording));
        Assert.Equal(sample.Observations.Where(seen => seen.Perspective == 2), All(recording, 2));
        Assert.Equal(sample.Observations.Where(seen => seen.Perspective != 2), All(recording, 7, 1, 7));
        Assert.Equal(200, recording.Count(7));
        var error = Assert.Throws<RecordingException>(() => recording.Observations(3));
        Assert.Contains("no observations of perspective 3: there are 1, 2, 7", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Any_place_is_found_by_step_loop_time_and_index(bool hasSummary)
    {
        var sample = SampleRecording.Make(150, 5000, 1, 2);
        using var recording = Open(hasSummary ? sample.Bytes : sample.Bytes[..sample.DataEnd]);
        using var reader = recording.Observations(2);
        var mine = sample.Observations.Where(seen => seen.Perspective == 2).ToList();
        var random = new Random(3);
        for (var turn = 0; turn < 600; turn++)
        {
            var step = (ulong)random.Next(-3, 160 + 3) & 0xFF;
            Assert.Equal(mine.Find(seen => seen.Step >= step), After(reader, () => reader.SeekStep(step)));
            var loop = (uint)random.Next(0, (160 * SampleRecording.StepSize) + 5);
            Assert.Equal(mine.Find(seen => seen.GameLoop >= loop), After(reader, () => reader.SeekLoop(loop)));
            var time = SampleRecording.FirstNs + random.NextInt64(-1_000_000_000, 9_000_000_000);
            Assert.Equal(mine.Find(seen => seen.ObservedNs >= time), After(reader, () => reader.SeekTime(time)));
            var index = random.Next(160);
            Assert.Equal(mine.ElementAtOrDefault(index), After(reader, () => reader.SeekIndex(index)));
        }

        reader.SeekLoop(uint.MaxValue);
        Assert.False(reader.Next(out _));
        reader.SeekStep(0);
        Assert.Equal(mine, All(reader));
    }

    [Fact]
    public void Observations_of_any_size_are_found()
    {
        var sample = SampleRecording.MakeLarge(40, 1, 2);
        using var recording = Open(sample.Bytes);
        foreach (var perspective in (uint[])[1, 2])
        {
            var mine = sample.Observations.Where(seen => seen.Perspective == perspective).ToList();
            foreach (var seen in mine)
            {
                // A new reader each time, without cached chunks.
                using var reader = recording.Observations(perspective);
                Assert.Equal(seen, After(reader, () => reader.SeekStep(seen.Step)));
            }
        }
    }

    [Fact]
    public void Perspectives_go_on_together_from_where_they_were_sought()
    {
        var sample = SampleRecording.Make(100, 3000, 1, 2);
        using var recording = Open(sample.Bytes);
        using var reader = recording.Observations();
        reader.SeekLoop(101);
        Assert.Equal(sample.Observations.Where(seen => seen.GameLoop >= 101), All(reader));
    }

    [Fact]
    public void Readers_of_one_recording_take_turns()
    {
        var sample = SampleRecording.Make();
        using var recording = Open(sample.Bytes);
        using var one = recording.Observations();
        using var other = recording.Observations();
        other.SeekIndex(60);
        var given = new List<Seen>();
        while (one.Next(out var observation))
        {
            given.Add(Seen.Of(observation));
            if (!other.Next(out observation))
            {
                break;
            }

            given.Add(Seen.Of(observation));
        }

        var (early, late) = (sample.Observations.Take(60), sample.Observations.Skip(60));
        Assert.Equal(early.Zip(late).SelectMany(pair => new[] { pair.First, pair.Second }), given.Take(120));
    }

    [Fact]
    public void An_observation_becomes_a_frame()
    {
        using var recording = Open(SampleRecording.Make().Bytes);
        using var reader = recording.Observations();
        Assert.True(reader.Next(out var observation));
        var header = new FrameHeader(
            "m1", observation.Perspective, observation.Step, observation.GameLoop, observation.RequestedNs,
            observation.ObservedNs);
        var frame = ObservationFrame.Create(observation.Copy(), 0, observation.Bytes.Length, header);
        Assert.Equal(observation.Bytes, frame.Observation);
        frame.Release();
    }

    [Fact]
    public void Memory_is_for_a_chunk_or_two_and_not_for_the_file()
    {
        var sample = SampleRecording.Make(2000, 40_000);
        using var recording = Open(sample.Bytes);
        using var reader = recording.Observations();
        Assert.True(reader.Next(out _));
        var before = GC.GetAllocatedBytesForCurrentThread();
        while (reader.Next(out _))
        {
        }

        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.InRange(allocated, 0, sample.Bytes.Length / 2);
    }

    [Fact]
    public void A_file_that_is_none_is_refused_in_one_line()
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-test-");
        try
        {
            var text = Path.Combine(folder.FullName, "text.mcap");
            File.WriteAllText(text, "This is no recording at all, whatever its name says.");
            Refuses(text, "this is not an MCAP file: give a recording of sc2bridge");
            Refuses(folder.FullName, "is a folder");
            Refuses(Path.Combine(folder.FullName, "none.mcap"), "cannot be opened");
            File.WriteAllText(text, "");
            Refuses(text, "the file is empty: no observation was recorded, so record the match again");
            File.WriteAllBytes(text, SampleRecording.Make(20).Bytes[..200]);
            Refuses(text, ": nothing in the file can be read, so record the match again");
        }
        finally
        {
            folder.Delete(recursive: true);
        }

        static void Refuses(string path, string words)
        {
            var error = Assert.Throws<RecordingException>(() => RecordingReader.Open(path));
            Assert.StartsWith(path, error.Message, StringComparison.Ordinal);
            Assert.Contains(words, error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain('\n', error.Message);
        }
    }

    private static RecordingReader Open(byte[] bytes) => RecordingReader.Open(new MemoryBytes(bytes));

    private static List<Seen> All(RecordingReader recording, params uint[] perspectives)
    {
        using var reader = recording.Observations(perspectives);
        return All(reader);
    }

    private static List<Seen> All(ObservationReader reader)
    {
        var given = new List<Seen>();
        while (reader.Next(out var observation))
        {
            given.Add(Seen.Of(observation));
        }

        return given;
    }

    private static Seen? After(ObservationReader reader, Action seek)
    {
        seek();
        return reader.Next(out var observation) ? Seen.Of(observation) : null;
    }
}
