namespace Sc2Bridge.Cli.Tests;

/// <summary>How many post-mortems remain.</summary>
public sealed class KeptBundlesTests : IDisposable
{
    private const string Beginning = "{\n  \"version\": 1,\n  \"cause\": {\n    \"kind\": \"none\"";

    private readonly string _parent = Directory.CreateTempSubdirectory("sc2bridge-bundles-").FullName;

    [Fact]
    public void The_newest_twenty_remain_and_only_own_files_are_deleted()
    {
        var folders = Enumerable.Range(0, 25).Select(number => Add($"match-{number:00}", number, 100)).ToList();
        var foreign = Path.Combine(folders[0], "post-mortem.html");
        File.WriteAllText(foreign, "<p>of another program</p>");
        var other = Path.Combine(Directory.CreateDirectory(Path.Combine(_parent, "notes")).FullName, "post-mortem.json");
        File.WriteAllText(other, "{}");
        KeptBundles.Apply(Path.Combine(_parent, "match"));
        Assert.Equal(folders[5..], folders.Where(folder => File.Exists(Path.Combine(folder, "post-mortem.json"))));
        Assert.True(File.Exists(foreign) && File.Exists(other));
    }

    [Fact]
    public void The_newest_remain_within_a_hundred_megabytes()
    {
        var folders = Enumerable.Range(0, 5).Select(number => Add(number == 4 ? "series/game-001" : $"match-{number}", number, 30_000_000)).ToList();
        KeptBundles.Apply(Path.Combine(_parent, "match"));
        Assert.Equal(folders[2..], folders.Where(folder => File.Exists(Path.Combine(folder, "post-mortem.json"))));
    }

    [Fact]
    public void Folders_that_cannot_be_read_and_links_are_skipped()
    {
        var folders = Enumerable.Range(0, 22).Select(number => Add($"match-{number:00}", number, 100)).ToList();
        var unreadable = Directory.CreateDirectory(Path.Combine(_parent, "unreadable")).FullName;
        var outside = Directory.CreateTempSubdirectory("sc2bridge-outside-").FullName;
        try
        {
            File.Copy(Path.Combine(folders[0], "post-mortem.json"), Path.Combine(outside, "post-mortem.json"));
            File.SetLastWriteTimeUtc(Path.Combine(outside, "post-mortem.json"), DateTime.UnixEpoch);
            if (!OperatingSystem.IsWindows())
            {
                Directory.CreateSymbolicLink(Path.Combine(folders[0], "game-x"), outside);
                File.SetUnixFileMode(unreadable, UnixFileMode.None);
            }

            KeptBundles.Apply(Path.Combine(_parent, "match-21"));
            Assert.Equal(folders[2..], folders.Where(folder => File.Exists(Path.Combine(folder, "post-mortem.json"))));
            Assert.True(File.Exists(Path.Combine(outside, "post-mortem.json")));
        }
        finally
        {
            if (!OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(unreadable, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            }

            Directory.Delete(outside, recursive: true);
        }
    }

    [Fact]
    public void A_file_of_another_program_is_not_replaced()
    {
        var own = Add("match", 1, 100);
        KeptBundles.ClearFolder(own);
        Assert.Empty(Directory.EnumerateFiles(own));
        var foreign = Path.Combine(own, "post-mortem.json");
        File.WriteAllText(foreign, "{}");
        Assert.Contains("--out", Assert.Throws<IOException>(() => KeptBundles.ClearFolder(own)).Message, StringComparison.Ordinal);
        Assert.Equal("{}", File.ReadAllText(foreign));
    }

    public void Dispose() => Directory.Delete(_parent, recursive: true);

    private string Add(string name, int minute, int bytes)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_parent, name)).FullName;
        var file = Path.Combine(folder, "post-mortem.json");
        using (var stream = File.Create(file))
        {
            stream.Write(System.Text.Encoding.UTF8.GetBytes(Beginning));
            stream.SetLength(bytes);
        }

        File.SetLastWriteTimeUtc(file, new DateTime(2026, 1, 1, 0, minute, 0, DateTimeKind.Utc));
        return folder;
    }
}
