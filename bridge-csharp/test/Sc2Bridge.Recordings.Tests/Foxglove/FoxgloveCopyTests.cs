using System.Security.Cryptography;

namespace Sc2Bridge.Recordings.Tests.Foxglove;

/// <summary>The content of a copy for Foxglove, and when no copy is made.</summary>
public sealed class FoxgloveCopyTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-foxglove-").FullName;

    private string Copy => Path.Combine(_folder, "copy.mcap");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("sample.mcap")]
    [InlineData("perspectives.mcap")]
    [InlineData("no-summary.mcap")]
    [InlineData("gap.mcap")]
    public void It_is_the_same_recording(string name)
    {
        Assert.True(FoxgloveCopy.Write(Sample(name), Copy, Ct) > 0);
        using var one = new Opened(Sample(name));
        using var other = new Opened(Copy);
        Assert.Equal(one.Observations(), other.Observations());
        Assert.Equal(one.Reader.ReadEnd(), other.Reader.ReadEnd());
        Assert.Equal(one.Reader.Steps(), other.Reader.Steps());
        Assert.Null(other.Reader.Problem);
        Assert.Contains("/terrain", Assert.Throws<RecordingException>(() => Write(Copy, "again.mcap")).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("cut.mcap", "--repair")]
    [InlineData("damaged.mcap", "--repair")]
    [InlineData("damaged-summary.mcap", "--repair")]
    public void A_damaged_recording_is_not_copied(string name, string says)
    {
        Assert.Contains(says, Assert.Throws<RecordingException>(() => Write(Sample(name), "copy.mcap")).Message, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(_folder));
    }

    [Fact]
    public void Without_a_channel_number_left_there_is_no_copy()
    {
        var path = Path.Combine(_folder, "full.mcap");
        using (var sink = new FileSink(path))
        using (var mcap = new McapWriter(sink, new Header("", "")))
        {
            mcap.Add(new Channel(ushort.MaxValue, 0, "/other", "", new Dictionary<string, string>()));
            mcap.Finish();
            sink.Keep();
        }

        var refused = Assert.Throws<RecordingException>(() => Write(path, "copy.mcap"));
        Assert.Contains("lower schema and channel numbers", refused.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(Copy));
    }

    [Fact]
    public void No_file_is_written_over_nor_through_a_link()
    {
        File.WriteAllText(Copy, "mine");
        var refused = Assert.Throws<RecordingException>(() => Write(Sample("sample.mcap"), "copy.mcap"));
        Assert.Contains("already exists", refused.Message, StringComparison.Ordinal);
        Assert.Equal("mine", File.ReadAllText(Copy));
        File.CreateSymbolicLink(Path.Combine(_folder, "link.mcap"), Path.Combine(_folder, "elsewhere"));
        Assert.Throws<RecordingException>(() => Write(Sample("sample.mcap"), "link.mcap"));
        Assert.False(File.Exists(Path.Combine(_folder, "elsewhere")));
    }

    [Fact]
    public void Topics_have_the_same_names_as_in_recordings() => Assert.Equal(
        [RecordingFormat.Steps, RecordingFormat.Observations(0), RecordingFormat.Observations(2)],
        Sc2Bridge.Foxglove.FoxgloveTopic.Recorded([0, 2]).Select(topic => topic.Name));

    private static string Sample(string name) => Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", name);

    private long Write(string path, string name) => FoxgloveCopy.Write(path, Path.Combine(_folder, name), Ct);

    private sealed class Opened(string path) : IDisposable
    {
        public RecordingReader Reader { get; } = RecordingReader.Open(path);

        public IReadOnlyList<string> Observations()
        {
            var all = new List<string>();
            using var reader = Reader.Observations();
            while (reader.Next(out var one))
            {
                all.Add($"{one.Perspective} {one.Step} {one.ObservedNs} {Convert.ToHexString(SHA256.HashData(one.Bytes.Span))}");
            }

            return all;
        }

        public void Dispose() => Reader.Dispose();
    }
}
