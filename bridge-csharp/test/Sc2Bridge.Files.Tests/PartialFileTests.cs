namespace Sc2Bridge.Files.Tests;

public sealed class PartialFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-files-").FullName;

    private string File1 => Path.Combine(_folder, "a.mcap");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_file_has_its_name_when_it_is_complete()
    {
        using (var file = PartialFile.Create(File1, replaces: false))
        {
            using (file.Stream)
            {
                file.Stream.Write("all"u8);
            }

            Assert.Throws<IOException>(() => PartialFile.Create(File1, replaces: true));
            Assert.Equal([$"{File1}.lock", $"{File1}.partial"], Directory.GetFiles(_folder).Order(StringComparer.Ordinal));
            file.Commit();
        }

        Assert.Equal("all", File.ReadAllText(File1));
        Assert.Equal([File1], Directory.GetFiles(_folder));
    }

    [Fact]
    public void Contents_are_on_the_disk_before_the_name_and_the_name_after_it()
    {
        File.WriteAllText(PartialFile.PathFor(File1), "all");
        Assert.Equal(
            [$"{File1}.partial before", $"{_folder} after"],
            Flushed(() => PartialFile.Commit(File1), () => File.Exists(File1)));

        var folder = Path.Combine(_folder, "job");
        Directory.CreateDirectory(Path.Combine(folder + ".partial", "below"));
        File.WriteAllText(Path.Combine(folder + ".partial", "below", "b"), "all");
        Assert.Equal(
            [
                $"{_folder} after", $"{folder}.partial before", $"{folder}.partial/below before", $"{folder}.partial/below/b before",
            ],
            Flushed(() => PartialFile.CommitFolder(folder + ".partial", folder), () => Directory.Exists(folder)).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Files_of_an_ended_process_are_replaced_only_on_request()
    {
        File.WriteAllText(PartialFile.PathFor(File1), "half");
        File.WriteAllText(LockFile.PathFor(File1), (LockOwner.ForThisProcess() with { Process = int.MaxValue }).ToText());
        Assert.Throws<IOException>(() => PartialFile.Create(File1, replaces: false));
        Assert.Equal("half", File.ReadAllText(PartialFile.PathFor(File1)));
        using var file = PartialFile.Create(File1, replaces: true);
        file.Stream.Dispose();
        Assert.Equal("", File.ReadAllText(PartialFile.PathFor(File1)));
        file.Delete();
        Assert.Equal([LockFile.PathFor(File1)], Directory.GetFiles(_folder));
    }

    private List<string> Flushed(Action publish, Func<bool> hasName)
    {
        var flushed = new List<string>();
        DiskFlush.Flushed += Add;
        publish();
        DiskFlush.Flushed -= Add;
        return flushed;

        // Other tests also flush files.
        void Add(string path)
        {
            if (path.StartsWith(_folder, StringComparison.Ordinal))
            {
                flushed.Add($"{path} {(hasName() ? "after" : "before")}");
            }
        }
    }
}
