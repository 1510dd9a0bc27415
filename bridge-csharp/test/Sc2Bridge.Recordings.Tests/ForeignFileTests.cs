using SC2APIProtocol;

namespace Sc2Bridge.Recordings.Tests;

/// <summary>Recordings in this layout that another writer wrote: the package <c>mcap</c> for Python.</summary>
[Trait("Suite", "Slow")]
public sealed class ForeignFileTests : IDisposable
{
    private static readonly SampleRecording Sample = SampleRecording.Make(90, 4000, 1, 2);

    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    [Trait("Needs", "newest")]
    public async Task Every_form_is_read_as_it_was_written()
    {
        foreach (var (form, path) in await RewriteAsync(Sample.Bytes))
        {
            if (form == "lz4")
            {
                continue;
            }

            using var recording = RecordingReader.Open(path);
            Assert.Equal((form, (string?)null), (form, recording.Problem));
            Assert.Equal("written by others", recording.Library);
            Assert.Equal(Sample.Description, recording.Description);
            Assert.Equal(Sample.GameInfo, recording.ReadGameInfo());
            Assert.Equal(Sample.End, recording.ReadEnd());
            Assert.Equal([Sample.Gap], recording.ReadGaps());
            Assert.Equal(90, recording.Count(2));
            Assert.Equal(Sample.Observations, All(recording.Observations()));

            using var reader = recording.Observations(2);
            var mine = Sample.Observations.Where(seen => seen.Perspective == 2).ToList();
            for (var loop = 0U; loop < 190; loop += 7)
            {
                reader.SeekLoop(loop);
                var found = reader.Next(out var observation) ? Seen.Of(observation) : null;
                Assert.Equal((form, mine.Find(seen => seen.GameLoop >= loop)), (form, found));
                var index = (int)loop % mine.Count;
                reader.SeekIndex(index);
                Assert.True(reader.Next(out observation));
                Assert.Equal((form, mine[index]), (form, Seen.Of(observation)));
            }
        }
    }

    [Fact]
    [Trait("Needs", "newest")]
    public async Task Every_form_is_read_up_to_its_cut_and_repaired()
    {
        var random = new Random(31);
        foreach (var (form, path) in await RewriteAsync(Sample.Bytes))
        {
            var whole = await File.ReadAllBytesAsync(path, Ct);
            for (var turn = 0; turn < 40 && form != "lz4"; turn++)
            {
                var (given, error) = SampleRecording.ReadAll(whole[..random.Next(whole.Length)]);
                Assert.NotNull(error);
                Assert.DoesNotContain('\n', error);
                Assert.Equal(Sample.Observations.Where(given.ToHashSet().Contains), given);
            }

            var clean = Path.Combine(_folder, "clean.mcap");
            if (form != "lz4")
            {
                Assert.Empty(RecordingRepair.Repair(path, clean, Ct).LeftOut);
                using (var recording = RecordingReader.Open(clean))
                {
                    Assert.Equal(Sample.Observations, All(recording.Observations()));
                }

                File.Delete(clean);
            }
        }
    }

    [Fact]
    [Trait("Needs", "newest")]
    public async Task Repaired_files_open_with_other_libraries()
    {
        var bytes = Sample.Bytes.ToArray();
        bytes[Sample.Layout.Regions[2].Offset + 100] ^= 1;
        var (damaged, clean) = (Path.Combine(_folder, "damaged.mcap"), Path.Combine(_folder, "clean.mcap"));
        await File.WriteAllBytesAsync(damaged, bytes, Ct);
        Assert.Single(RecordingRepair.Repair(damaged, clean, Ct).LeftOut);
        var repaired = await File.ReadAllBytesAsync(clean, Ct);
        var (form, path) = (await RewriteAsync(repaired))[0];
        Assert.Equal("usual", form);
        using var recording = RecordingReader.Open(path);
        Assert.Equal(SampleRecording.ReadAll(repaired).Given, All(recording.Observations()));
        Assert.Equal(3, recording.ReadGaps().Count());
    }

    [Fact]
    [Trait("Needs", "newest")]
    public async Task A_compression_that_is_not_read_is_refused_with_what_to_do()
    {
        var path = (await RewriteAsync(Sample.Bytes)).Single(file => file.Form == "lz4").Path;
        var error = Assert.Throws<RecordingException>(() => RecordingReader.Open(path));
        Assert.StartsWith($"{path}: a chunk is compressed with lz4, at byte ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("(mcap compress IN -o OUT --compression zstd)", error.Message, StringComparison.Ordinal);
        var refused = Assert.Throws<RecordingException>(() =>
            RecordingRepair.Repair(path, Path.Combine(_folder, "clean.mcap"), Ct));
        Assert.Equal(error.Message, refused.Message);
        Assert.False(File.Exists(Path.Combine(_folder, "clean.mcap")));
    }

    [Theory]
    [InlineData("json", "SC2APIProtocol.ResponseObservation")]
    [InlineData("protobuf", "foxglove.Log")]
    public void Observations_of_another_kind_are_refused(string encoding, string schema)
    {
        var sink = new MemorySink();
        using var mcap = new McapWriter(sink, new Header("", ""));
        mcap.AddChannel(
            mcap.AddSchema(schema, McapFormat.Protobuf, new byte[4]), RecordingFormat.Observations(0), encoding,
            new Dictionary<string, string>());
        mcap.Finish();
        var error = Assert.Throws<RecordingException>(() => RecordingReader.Open(new MemoryBytes(sink.Bytes)));
        Assert.Contains($"/observation/0 has messages of the type {schema} in the encoding \"{encoding}\"", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void One_topic_twice_is_refused()
    {
        var sink = new MemorySink();
        using var mcap = new McapWriter(sink, new Header("", ""));
        for (var twice = 0; twice < 2; twice++)
        {
            mcap.AddChannel(0, RecordingFormat.Observations(0), McapFormat.Protobuf, new Dictionary<string, string>());
        }

        mcap.Finish();
        var error = Assert.Throws<RecordingException>(() => RecordingReader.Open(new MemoryBytes(sink.Bytes)));
        Assert.Contains("channels 1 and 2 are both /observation/0", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void As_many_channels_and_perspectives_as_there_can_be()
    {
        var sink = new MemorySink();
        using (var mcap = new McapWriter(sink, new Header("", "")))
        {
            var schema = mcap.AddSchema(ResponseObservation.Descriptor.FullName, McapFormat.Protobuf, new byte[40]);
            for (var channel = 0u; channel < ushort.MaxValue; channel++)
            {
                mcap.AddChannel(
                    schema, channel < McapLimits.Perspectives ? RecordingFormat.Observations(channel) : $"/other/{channel}",
                    McapFormat.Protobuf, new Dictionary<string, string>());
            }

            mcap.Finish();
        }

        using var recording = RecordingReader.Open(new MemoryBytes(sink.Bytes));
        Assert.Equal(McapLimits.Perspectives, recording.Perspectives.Count);
        Assert.Equal(ushort.MaxValue, recording.File.Layout.Channels.Channels.Count);
    }

    [Fact]
    public void A_file_with_nothing_in_it_is_a_recording_of_nothing()
    {
        var sink = new MemorySink();
        using var mcap = new McapWriter(sink, new Header("", ""));
        mcap.Finish();
        using var recording = RecordingReader.Open(new MemoryBytes(sink.Bytes));
        Assert.Null(recording.Problem);
        Assert.Empty(recording.Perspectives);
        Assert.Null(recording.ReadEnd());
        Assert.Empty(All(recording.Observations()));
        var error = Assert.Throws<RecordingException>(() => recording.Count(0));
        Assert.Contains("it has none at all", error.Message, StringComparison.Ordinal);
    }

    private static List<Seen> All(ObservationReader reader)
    {
        using (reader)
        {
            var given = new List<Seen>();
            while (reader.Next(out var observation))
            {
                given.Add(Seen.Of(observation));
            }

            return given;
        }
    }

    private async Task<List<(string Form, string Path)>> RewriteAsync(byte[] bytes)
    {
        var python = PeerEnvironment.NewestPython();
        var source = Path.Combine(_folder, "source.mcap");
        await File.WriteAllBytesAsync(source, bytes, Ct);
        var target = Directory.CreateDirectory(Path.Combine(_folder, "forms")).FullName;
        var script = Path.Combine(
            PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Sc2Bridge.Recordings.Tests", "Reading",
            "rewrite_with_mcap.py");
        var ended = await PeerEnvironment.RunAsync(python, [script, source, target], Ct);
        return
        [
            .. ended.Json().EnumerateArray().Select(form => form.GetString()!)
                .Select(form => (form, Path.Combine(target, $"{form}.mcap"))),
        ];
    }
}
