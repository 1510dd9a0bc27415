using Sc2Bridge.Files;
using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Analysis;

namespace Sc2Bridge.Cli.Tests;

/// <summary>To which recordings an analysis is added, and to which it is not.</summary>
public sealed class KeptAnalysisTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-analysis-").FullName;
    private readonly string _file;
    private readonly byte[] _old;

    public KeptAnalysisTests()
    {
        _file = Path.Combine(_folder, "old.mcap");
        File.Copy(Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "earlier-2df1b033.mcap"), _file);
        _old = File.ReadAllBytes(_file);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_copy_that_a_killed_process_left_is_replaced_and_permissions_stay()
    {
        File.WriteAllBytes(PartialFile.PathFor(_file), _old[..5000]);
        var mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(_file, mode);
        }

        Assert.Equal($"{_file}: its analysis was added to it", Analyse(_file));
        Assert.Equal([_file], Directory.GetFiles(_folder));
        using var recording = RecordingReader.Open(_file);
        Assert.Null(recording.Problem);
        Assert.NotNull(RecordingAnalysis.Read(recording));
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(mode, File.GetUnixFileMode(_file));
        }
    }

    [Fact]
    public void A_link_is_not_replaced()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links need a right there");
        var link = Path.Combine(_folder, "link.mcap");
        File.CreateSymbolicLink(link, _file);
        IsNotAdded(link, "it is a link, or another user's file");
    }

    [Fact]
    public void A_read_only_recording_stays_as_it_is()
    {
        File.SetAttributes(_file, FileAttributes.ReadOnly);
        IsNotAdded(_file, "it is read-only");
        File.SetAttributes(_file, FileAttributes.Normal);
    }

    [Fact]
    public void A_recording_that_is_being_written_stays_as_it_is()
    {
        var partial = PartialFile.PathFor(_file);
        File.Move(_file, partial);
        IsNotAdded(partial, "it is not complete");
        IsNotAdded(partial, "it is not whole", isWhole: false);
    }

    [Fact]
    public void A_recording_that_a_match_is_about_to_replace_stays_as_it_is()
    {
        using var match = PartialFile.Create(_file, replaces: false);
        match.Stream.Write(_old.AsSpan(0, 5000));
        IsNotAdded(_file, LockFile.DescribeOwner(LockFile.PathFor(_file)));
        Assert.Equal(5000, new FileInfo(PartialFile.PathFor(_file)).Length);
        match.Stream.Dispose();
    }

    [Fact]
    public void A_recording_that_was_replaced_meanwhile_stays_as_it_is()
    {
        using var recording = RecordingReader.Open(_file);
        var analysis = RecordingAnalysis.Analyse(recording, Ct);
        Assert.Equal("it was changed meanwhile", KeptAnalysis.Replace(_file, (_old.Length, DateTime.UnixEpoch), recording, analysis, Ct));
        Assert.Equal([_file], Directory.GetFiles(_folder));
        Assert.Equal(_old, File.ReadAllBytes(_file));
    }

    private static string Analyse(string path, bool isWhole = true)
    {
        List<string> told = [];
        Assert.NotNull(KeptAnalysis.ReadOrAdd(path, isWhole, told.Add, Ct));
        return Assert.Single(told);
    }

    private void IsNotAdded(string path, string problem, bool isWhole = true)
    {
        Assert.Equal($"{path}: its analysis is not added to it: {problem}", Analyse(path, isWhole));
        Assert.Equal(_old, File.ReadAllBytes(path));
    }
}
