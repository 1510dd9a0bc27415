using System.Text;
using Amazon.Runtime;
using Amazon.S3.Model;
using Sc2Bridge.Broker.Work;

namespace Sc2Bridge.Broker.Tests.Work;

/// <summary>Results in a bucket that workers share.</summary>
[Trait("ThirdParty", "s3rver")]
[Trait("Needs", "node")]
public sealed class BucketStoreTests(TestBucket bucket) : IClassFixture<TestBucket>, IAsyncLifetime
{
    // Each test has its own prefix.
    private readonly string _prefix = $"some/{Guid.NewGuid():N}";
    private readonly List<BucketStore> _stores = [];

    public ValueTask InitializeAsync()
    {
        bucket.Require();
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync()
    {
        _stores.ForEach(store => store.Dispose());
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task A_result_comes_back_byte_for_byte()
    {
        // Longer than one part, which has at least 5 MiB.
        var recording = new byte[12 << 20];
        new Random(1).NextBytes(recording);
        var store = Store("one");
        store.Bucket.PartBytes = 5 << 20;
        await store.CheckAsync(Ct);
        var folder = await store.BeginResultAsync("a", Ct);
        Directory.CreateDirectory(Path.Combine(folder, "logs"));
        await File.WriteAllBytesAsync(Path.Combine(folder, "match.mcap"), recording, Ct);
        await File.WriteAllTextAsync(Path.Combine(folder, "logs", "agent 1.log"), "ünits", Ct);
        await File.WriteAllBytesAsync(Path.Combine(folder, "empty"), [], Ct);
        var result = Result("one");
        await store.PublishAsync(folder, result, Ct);
        await store.DeleteFolderAsync(folder);
        Assert.False(Directory.Exists(folder));

        var (results, begun) = await Store("").ReadAllAsync(Ct);
        result.Folder = "one-1";
        Assert.Equal((result, 0), (Assert.Single(results), begun));
        var objects = await ObjectsAsync();
        Assert.Equal(["a/one-1/empty", "a/one-1/logs/agent 1.log", "a/one-1/match.mcap", "a/result.json"], objects.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(recording, objects["a/one-1/match.mcap"]);
        Assert.Equal("ünits", Encoding.UTF8.GetString(objects["a/one-1/logs/agent 1.log"]));
        Assert.Equal(result, Jobs.ParseResult(Encoding.UTF8.GetString(objects["a/result.json"]), "a"));
    }

    [Fact]
    public async Task Of_two_who_make_a_result_the_first_is_kept_and_nothing_else_stays()
    {
        var (one, other) = (Store("one"), Store("other"));
        var (first, second) = (await one.BeginResultAsync("a", Ct), await other.BeginResultAsync("a", Ct));
        var left = await one.BeginResultAsync("b", Ct);
        Assert.False(await one.HasResultAsync("a", Ct));
        Assert.Equal(2, (await other.ReadAllAsync(Ct)).Begun);
        await File.WriteAllTextAsync(Path.Combine(first, "match.mcap"), "first", Ct);
        await File.WriteAllTextAsync(Path.Combine(second, "match.mcap"), "second", Ct);

        // A worker that was killed during its upload, and a job with a name that begins as another job's name.
        await PutAsync("a/dead-1/match.mcap", "half");
        await PutAsync("a/one-12/match.mcap", "half");
        await one.PublishAsync(first, Result("one"), Ct);
        Assert.True(await other.HasResultAsync("a", Ct));
        await other.PublishAsync(second, Result("other"), Ct);
        await one.DeleteFolderAsync(first);
        await other.DeleteFolderAsync(second);

        var (results, begun) = await other.ReadAllAsync(Ct);
        Assert.Equal(("one", 1), (Assert.Single(results).Worker, begun));
        var objects = await ObjectsAsync();
        Assert.Equal(["a/one-1/match.mcap", "a/result.json", "b/one-2.begun"], objects.Keys.Order(StringComparer.Ordinal));
        Assert.Equal("first", Encoding.UTF8.GetString(objects["a/one-1/match.mcap"]));
        await one.DeleteFolderAsync(left);
        Assert.Equal(0, (await other.ReadAllAsync(Ct)).Begun);
    }

    [Fact]
    public async Task Of_many_at_once_one_is_kept_whole()
    {
        bucket.RequireAnother();
        const int Workers = 16;
        await Parallel.ForAsync(0, Workers, new ParallelOptions { MaxDegreeOfParallelism = Workers }, async (number, ct) =>
        {
            var store = Store($"w{number}");
            var folder = await store.BeginResultAsync("a", ct);
            await File.WriteAllTextAsync(Path.Combine(folder, "match.mcap"), $"w{number}", ct);
            await store.PublishAsync(folder, Result($"w{number}"), ct);
            await store.DeleteFolderAsync(folder);
        });
        var result = Assert.Single((await Store("").ReadAllAsync(Ct)).Results);
        var objects = await ObjectsAsync();
        Assert.Equal([$"a/{result.Worker}-1/match.mcap", "a/result.json"], objects.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(result.Worker, Encoding.UTF8.GetString(objects[$"a/{result.Worker}-1/match.mcap"]));
    }

    [Fact]
    public async Task Files_of_a_killed_worker_are_removed_by_the_worker_that_finds_the_result()
    {
        var store = Store("one");
        await PutAsync("a/result.json", Jobs.ToJson(new JobResult(Result("dead")) { Folder = "dead-1" }));
        await PutAsync("a/dead-1/match.mcap", "whole");
        await PutAsync("a/dead-1.begun", "");
        await PutAsync("ab/dead-2.begun", "");
        await store.DeleteUnfinishedAsync("a", Ct);
        await store.DeleteUnfinishedAsync("ab", Ct);
        Assert.Equal(["a/dead-1/match.mcap", "a/result.json", "ab/dead-2.begun"], (await ObjectsAsync()).Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task A_result_that_was_copied_from_a_folder_stays_as_it_is()
    {
        await PutAsync("a/result.json", Jobs.ToJson(Result("one")));
        await PutAsync("a/match.mcap", "whole");
        await Store("other").DeleteUnfinishedAsync("a", Ct);
        Assert.Equal(["a/match.mcap", "a/result.json"], (await ObjectsAsync()).Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task More_results_than_a_page_of_the_store_holds_are_read()
    {
        bucket.RequireAnother();
        const int Count = 1001;
        await Parallel.ForAsync(0, Count, Ct, async (number, _) =>
            await PutAsync($"job-{number}/result.json", Jobs.ToJson(Result($"{number}"))));
        var (results, begun) = await Store("").ReadAllAsync(Ct);
        Assert.Equal((Count, 0), (results.Select(result => result.Worker).Distinct().Count(), begun));
    }

    [Fact]
    public Task A_key_that_nobody_has_is_told() => IsNotLetInAsync("nobody", "InvalidAccessKeyId");

    [Fact]
    public Task A_secret_that_is_wrong_is_told()
    {
        bucket.RequireAnother();
        return IsNotLetInAsync(bucket.Credentials.GetCredentials().AccessKey, "SignatureDoesNotMatch");
    }

    [Fact]
    public async Task A_bucket_that_is_not_there_and_a_store_that_does_not_answer_are_told()
    {
        var none = new BucketStore("s3://no-such-bucket", "one", bucket.Url, bucket.Credentials);
        Assert.Contains("create the bucket", (await Assert.ThrowsAsync<ResultStoreException>(() => none.CheckAsync(Ct))).Message, StringComparison.Ordinal);
        Assert.Contains("create the bucket", (await Assert.ThrowsAsync<ResultStoreException>(() => none.BeginResultAsync("a", Ct))).Message, StringComparison.Ordinal);

        var silent = Store("one", "http://user:pass@127.0.0.1:9");
        var message = (await Assert.ThrowsAsync<ResultStoreException>(() => silent.CheckAsync(Ct))).Message;
        Assert.Contains(" at 127.0.0.1:9 does not answer (Connection refused", message, StringComparison.Ordinal);
        Assert.DoesNotContain("pass@", message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<OperationCanceledException>(() => silent.CheckAsync(new CancellationToken(canceled: true)));
    }

    [Theory]
    [InlineData("s3://")]
    [InlineData("s3:///results")]
    [InlineData("s3://KEY:SECRET@bucket/results")]
    [InlineData("S3://Bucket")]
    public void An_invalid_bucket_is_refused(string where)
    {
        var message = Assert.Throws<ResultStoreException>(() => ResultStore.Create(where, "one")).Message;
        Assert.StartsWith("invalid bucket address: ", message, StringComparison.Ordinal);
        Assert.DoesNotContain("SECRET@", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("https://KEY:SECRET@bucket/results")]
    [InlineData("s3:/bucket")]
    [InlineData("file:///results")]
    public void An_address_of_neither_a_folder_nor_a_bucket_is_refused(string where)
    {
        var message = Assert.Throws<ResultStoreException>(() => ResultStore.Create(where, "one")).Message;
        Assert.Equal("invalid address of a result store: name a folder, or s3://BUCKET/PREFIX", message);
    }

    [Theory]
    [InlineData("C:/results")]
    [InlineData("/results/a:/b")]
    public void A_possible_folder_name_is_a_folder(string where) => Assert.IsType<FolderStore>(ResultStore.Create(where, "one"));

    [Fact]
    public async Task An_invalid_result_is_named()
    {
        await PutAsync("a/result.json", "{");
        var store = Store("one");
        Assert.True(await store.HasResultAsync("a", Ct));
        await store.DeleteUnfinishedAsync("a", Ct);
        var message = (await Assert.ThrowsAsync<ResultStoreException>(() => store.ReadAllAsync(Ct))).Message;
        Assert.StartsWith($"s3://{bucket.Name}/{_prefix}/a/result.json: not a job's result", message, StringComparison.Ordinal);
    }

    private async Task IsNotLetInAsync(string key, string code)
    {
        const string Secret = "a secret";
        var store = Store("one", credentials: new BasicAWSCredentials(key, Secret));
        foreach (var asked in new Func<Task>[]
        {
            () => store.CheckAsync(Ct), () => store.BeginResultAsync("a", Ct), () => store.ReadAllAsync(Ct),
        })
        {
            var message = (await Assert.ThrowsAsync<ResultStoreException>(asked)).Message;
            Assert.Contains(
                $"{new Uri(bucket.Url).Authority} does not let you in ({code}): set AWS_ACCESS_KEY_ID and ", message, StringComparison.Ordinal);
            Assert.DoesNotContain(Secret, message, StringComparison.Ordinal);
        }

        // The answer to a request without a body (HEAD) has only a status, and no error text.
        var shorter = (await Assert.ThrowsAsync<ResultStoreException>(() => store.HasResultAsync("a", Ct))).Message;
        Assert.Contains(" does not let you in (", shorter, StringComparison.Ordinal);
    }

    private static JobResult Result(string worker) => new() { Job = new Job { Id = "a" }, Worker = worker };

    private BucketStore Store(string worker, string? url = null, AWSCredentials? credentials = null)
    {
        _stores.Add(new BucketStore($"s3://{bucket.Name}/{_prefix}/", worker, url ?? bucket.Url, credentials ?? bucket.Credentials));
        return _stores[^1];
    }

    private async Task PutAsync(string key, string text)
    {
        using var client = bucket.Client();
        await client.PutObjectAsync(
            new PutObjectRequest { BucketName = bucket.Name, Key = $"{_prefix}/{key}", ContentBody = text, UseChunkEncoding = false }, Ct);
    }

    private async Task<Dictionary<string, byte[]>> ObjectsAsync() => (await bucket.ObjectsAsync(_prefix))
        .ToDictionary(found => found.Key[(_prefix.Length + 1)..], found => found.Value);
}
