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
        var (first, second) = (await one.BeginAsync("a", Ct), await other.BeginAsync("a", Ct));
        var left = await one.BeginAsync("b", Ct);
        Assert.False(await one.HasAsync("a", Ct));
        Assert.Equal(2, (await other.ReadAsync(Ct)).Begun);
        await File.WriteAllTextAsync(Path.Combine(first, "match.mcap"), "first", Ct);
        await one.PublishAsync(first, Result("one"), Ct);
        Assert.True(await other.HasAsync("a", Ct));

        // What others began of it is gone: they find that it is done.
        Assert.False(Directory.Exists(second));
        await Assert.ThrowsAnyAsync<IOException>(() => other.PublishAsync(second, Result("other"), Ct));
        Assert.Equal("one", Assert.Single((await other.ReadAsync(Ct)).Results).Worker);
        Assert.Equal("first", await File.ReadAllTextAsync(Path.Combine(_folder, "a", "match.mcap"), Ct));
        Assert.Equal((string[])[Path.Combine(_folder, ".partial"), Path.Combine(_folder, "a")], Directory.EnumerateDirectories(_folder).Order());
        Assert.Equal(Path.GetDirectoryName(left), Assert.Single(Directory.EnumerateFileSystemEntries(Path.Combine(_folder, ".partial"))));
        Assert.Equal(1, (await other.ReadAsync(Ct)).Begun);
    }

    [Fact]
    public async Task What_a_killed_worker_left_of_a_job_is_taken_away()
    {
        var store = new FolderStore(_folder, "one");
        var partial = Path.GetDirectoryName(Path.GetDirectoryName(await store.BeginAsync("a", Ct)))!;
        var others = await store.BeginAsync("ab", Ct);

        // Killed while it took away what others had begun.
        Directory.CreateDirectory(Path.Combine(partial, "a.moved", "other-1"));
        await store.ClearAsync("a", Ct);
        await store.ClearAsync("a", Ct);
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
                var folder = await store.BeginAsync("a", ct);
                await File.WriteAllTextAsync(Path.Combine(folder, "match.mcap"), $"w{number}", ct);
                await store.PublishAsync(folder, Result($"w{number}"), ct);
            }
            catch (IOException)
            {
                Assert.True(await store.HasAsync("a", ct));
            }
        });
        var last = new FolderStore(_folder, "");
        var result = Assert.Single((await last.ReadAsync(Ct)).Results);
        Assert.Equal(result.Worker, await File.ReadAllTextAsync(Path.Combine(_folder, "a", "match.mcap"), Ct));
        Assert.Equal(2, Directory.EnumerateFileSystemEntries(_folder).Count());

        // A worker may write into a folder while another one removes it. The next worker that asks for the job removes the rest.
        await last.ClearAsync("a", Ct);
        Assert.Empty(Directory.EnumerateFileSystemEntries(Path.Combine(_folder, ".partial")));
    }

    private static JobResult Result(string worker) => new() { Job = new Job { Id = "a" }, Worker = worker };
}
