namespace Sc2Bridge.Cli.Tests;

public sealed class OutputFolderTests : IDisposable
{
    private readonly string _parent = Directory.CreateTempSubdirectory("sc2bridge-output-").FullName;

    public void Dispose() => Directory.Delete(_parent, recursive: true);

    // Whoever takes the lock then would lose files.
    [Fact]
    public async Task A_discarded_folder_is_empty_before_its_lock_is_released()
    {
        var path = Path.Combine(_parent, "a", "b");
        var folder = OutputFolder.Claim(path, numbered: false);
        for (var file = 0; file < 2_000; file++)
        {
            await File.WriteAllTextAsync(Path.Combine(path, $"{file}"), "", TestContext.Current.CancellationToken);
        }

        var left = Task.Run(() =>
        {
            Assert.True(SpinWait.SpinUntil(() => !File.Exists(Path.Combine(path, OutputFolder.LockName)), TimeSpan.FromMinutes(1)));
            try
            {
                return Directory.GetFileSystemEntries(path).Length;
            }
            catch (DirectoryNotFoundException)
            {
                return 0;
            }
        }, TestContext.Current.CancellationToken);
        folder.Discard();
        Assert.Equal(0, await left);
        Assert.Empty(Directory.GetFileSystemEntries(_parent));
    }

    [Fact]
    public void A_folder_that_was_there_is_released_and_kept()
    {
        var mine = Path.Combine(_parent, "mine");
        File.WriteAllText(mine, "");
        OutputFolder.Claim(_parent, numbered: false).Discard();
        Assert.Equal([mine], Directory.GetFileSystemEntries(_parent));
    }
}
