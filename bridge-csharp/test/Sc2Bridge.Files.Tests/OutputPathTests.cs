namespace Sc2Bridge.Files.Tests;

public sealed class OutputPathTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-files-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Nothing_is_written_through_a_link(bool exists)
    {
        var (victim, link) = (Path.Combine(_folder, "victim"), Path.Combine(_folder, "link"));
        if (exists)
        {
            File.WriteAllText(victim, "mine");
        }

        File.CreateSymbolicLink(link, victim);
        Assert.Contains("is a link", Assert.Throws<IOException>(() => OutputPath.OpenReplacement(link)).Message, StringComparison.Ordinal);
        Assert.Equal(exists ? "mine" : null, File.Exists(victim) ? File.ReadAllText(victim) : null);
    }

    [Theory]
    [InlineData("")]
    [InlineData("old")]
    [InlineData(null)]
    public void A_file_is_replaced(string? old)
    {
        var file = Path.Combine(_folder, "a");
        if (old is not null)
        {
            File.WriteAllText(file, old);
        }

        using (var stream = OutputPath.OpenReplacement(file))
        {
            stream.Write("new"u8);
        }

        Assert.Equal("new", File.ReadAllText(file));
    }

    [Fact]
    public void An_empty_file_is_no_device()
    {
        var file = Path.Combine(_folder, "empty");
        File.WriteAllText(file, "");
        Assert.False(OutputPath.IsDevice(file));
    }

    [Fact]
    public void A_pipe_counts_as_a_device()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs mkfifo");
        var pipe = Path.Combine(_folder, "pipe");
        using (var made = System.Diagnostics.Process.Start("mkfifo", [pipe]))
        {
            Assert.True(made.WaitForExit(TimeSpan.FromSeconds(30)));
        }

        Assert.True(OutputPath.IsDevice(pipe));
    }

    [Fact]
    public void A_device_is_written_to_directly_and_by_a_link()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "needs /dev/full");
        var link = Path.Combine(_folder, "link");
        File.CreateSymbolicLink(link, "/dev/full");
        foreach (var device in (string[])["/dev/full", link])
        {
            Assert.True(OutputPath.IsDevice(device));
            Assert.Null(OutputPath.LinkProblem(device));
            using var stream = OutputPath.OpenReplacement(device);
            Assert.Throws<IOException>(() => stream.Write("a"u8));
        }
    }
}
