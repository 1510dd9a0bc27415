using Sc2Bridge.Broker.Work;

namespace Sc2Bridge.Broker.Tests.Work;

/// <summary>Results in a folder that workers share.</summary>
public sealed class FolderStoreTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-store-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Of_two_who_make_a_result_the_first_is_kept_and_nothing_else_stays()
    {
        var (one, other) = (new FolderStore(_folder, "one"), new FolderStore(_folder, "other"));
        var (first, second) = (await one.BeginResultAsync("a", Ct), await other.BeginResultAsync("a", Ct));
        var left = await one.BeginResultAsync("b", Ct);
        Assert.False(await one.HasResultAsync("a", Ct));
        Assert.Equal(2, (await other.ReadAllAsync(Ct)).Begun);
        await File.WriteAllTextAsync(Path.Combine(first, "match.mcap"), "first", Ct);
        await one.PublishAsync(first, Result("one"), Ct);
        Assert.True(await other.HasResultAsync("a", Ct));

        // Files of other workers for this job are deleted. Those workers then find that the job is done.
        Assert.False(Directory.Exists(second));
        await Assert.ThrowsAnyAsync<IOException>(() => other.PublishAsync(second, Result("other"), Ct));
        Assert.Equal("one", Assert.Single((await other.ReadAllAsync(Ct)).Results).Worker);
        Assert.Equal("first", await File.ReadAllTextAsync(Path.Combine(_folder, "a", "match.mcap"), Ct));
        Assert.Equal((string[])[Path.Combine(_folder, ".partial"), Path.Combine(_folder, "a")], Directory.EnumerateDirectories(_folder).Order());
        Assert.Equal(Path.GetDirectoryName(left), Assert.Single(Directory.EnumerateFileSystemEntries(Path.Combine(_folder, ".partial"))));
        Assert.Equal(1, (await other.ReadAllAsync(Ct)).Begun);
    }

    [Fact]
    public async Task Files_of_a_killed_worker_are_removed()
    {
        var store = new FolderStore(_folder, "one");
        var partial = Path.GetDirectoryName(Path.GetDirectoryName(await store.BeginResultAsync("a", Ct)))!;
        var others = await store.BeginResultAsync("ab", Ct);

        // A worker was killed while it removed files of other workers.
        Directory.CreateDirectory(Path.Combine(partial, "a.moved", "other-1"));
        await store.DeleteUnfinishedAsync("a", Ct);
        await store.DeleteUnfinishedAsync("a", Ct);
        Assert.Equal(Path.GetDirectoryName(others), Assert.Single(Directory.EnumerateDirectories(partial)));
    }

    [Fact]
    public async Task Of_many_at_once_one_is_kept_whole()
    {
        const int Workers = 16;
        await Parallel.ForAsync(0, Workers, new ParallelOptions { MaxDegreeOfParallelism = Workers }, async (number, ct) =>
        {
            var store = new FolderStore(_folder, $"w{number}");
            try
            {
                var folder = await store.BeginResultAsync("a", ct);
                await File.WriteAllTextAsync(Path.Combine(folder, "match.mcap"), $"w{number}", ct);
                await store.PublishAsync(folder, Result($"w{number}"), ct);
            }
            catch (IOException)
            {
                Assert.True(await store.HasResultAsync("a", ct));
            }
        });
        var last = new FolderStore(_folder, "");
        var result = Assert.Single((await last.ReadAllAsync(Ct)).Results);
        Assert.Equal(result.Worker, await File.ReadAllTextAsync(Path.Combine(_folder, "a", "match.mcap"), Ct));
        Assert.Equal(2, Directory.EnumerateFileSystemEntries(_folder).Count());

        // A worker may write into a folder while another one removes it. The next worker that asks for the job removes the rest.
        await last.DeleteUnfinishedAsync("a", Ct);
        Assert.Empty(Directory.EnumerateFileSystemEntries(Path.Combine(_folder, ".partial")));
    }

    private static JobResult Result(string worker) => new() { Job = new Job { Id = "a" }, Worker = worker };
}
