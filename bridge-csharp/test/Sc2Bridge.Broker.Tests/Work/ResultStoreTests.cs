using Sc2Bridge.Broker.Work;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Tests.Work;

/// <summary>Results in a folder that workers share.</summary>
public sealed class ResultStoreTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-store-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Of_two_who_make_a_result_the_first_is_kept_and_nothing_else_stays()
    {
        var (one, other) = (new ResultStore(_folder, "one"), new ResultStore(_folder, "other"));
        var (first, second) = (one.Begin("a"), other.Begin("a"));
        var left = one.Begin("b");
        Assert.False(one.Has("a"));
        Assert.Equal(2, other.Begun());
        File.WriteAllText(Path.Combine(first, "match.mcap"), "first");
        one.Publish(first, Result("one"));
        Assert.True(other.Has("a"));

        // What others began of it is gone: they find that it is done.
        Assert.False(Directory.Exists(second));
        Assert.ThrowsAny<IOException>(() => other.Publish(second, Result("other")));
        Assert.Equal("one", Assert.Single(other.Results()).Worker);
        Assert.Equal("first", File.ReadAllText(Path.Combine(_folder, "a", "match.mcap")));
        Assert.Equal((string[])[Path.Combine(_folder, ".partial"), Path.Combine(_folder, "a")], Directory.EnumerateDirectories(_folder).Order());
        Assert.Equal(Path.GetDirectoryName(left), Assert.Single(Directory.EnumerateFileSystemEntries(Path.Combine(_folder, ".partial"))));
        Assert.Equal(1, other.Begun());
    }

    [Fact]
    public void What_a_killed_worker_left_of_a_job_is_taken_away()
    {
        var store = new ResultStore(_folder, "one");
        var partial = Path.GetDirectoryName(Path.GetDirectoryName(store.Begin("a")))!;
        var others = store.Begin("ab");

        // Killed while it took away what others had begun.
        Directory.CreateDirectory(Path.Combine(partial, "a.moved", "other-1"));
        store.Clear("a");
        store.Clear("a");
        Assert.Equal(Path.GetDirectoryName(others), Assert.Single(Directory.EnumerateDirectories(partial)));
    }

    [Fact]
    public void Of_many_at_once_one_is_kept_whole()
    {
        const int Workers = 16;
        Parallel.For(0, Workers, new ParallelOptions { MaxDegreeOfParallelism = Workers }, number =>
        {
            var store = new ResultStore(_folder, $"w{number}");
            try
            {
                var folder = store.Begin("a");
                File.WriteAllText(Path.Combine(folder, "match.mcap"), $"w{number}");
                store.Publish(folder, Result($"w{number}"));
            }
            catch (IOException)
            {
                Assert.True(store.Has("a"));
            }
        });
        var result = Assert.Single(new ResultStore(_folder, "").Results());
        Assert.Equal(result.Worker, File.ReadAllText(Path.Combine(_folder, "a", "match.mcap")));
        Assert.Equal(2, Directory.EnumerateFileSystemEntries(_folder).Count());
        Assert.Empty(Directory.EnumerateFileSystemEntries(Path.Combine(_folder, ".partial")));
    }

    private static JobResult Result(string worker) => new() { Job = new Job { Id = "a" }, Worker = worker };
}
