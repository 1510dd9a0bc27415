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
    // Of each test another.
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
        // Longer than a part, which has at least 5 MiB.
        var recording = new byte[12 << 20];
        new Random(1).NextBytes(recording);
        var store = Store("one");
        store.Bucket.PartBytes = 5 << 20;
        await store.OpenAsync(Ct);
        var folder = await store.BeginAsync("a", Ct);
        Directory.CreateDirectory(Path.Combine(folder, "logs"));
        await File.WriteAllBytesAsync(Path.Combine(folder, "match.mcap"), recording, Ct);
        await File.WriteAllTextAsync(Path.Combine(folder, "logs", "agent 1.log"), "ünits", Ct);
        await File.WriteAllBytesAsync(Path.Combine(folder, "empty"), [], Ct);
        var result = Result("one");
        await store.PublishAsync(folder, result, Ct);
        await store.EndAsync(folder);
        Assert.False(Directory.Exists(folder));

        var (results, begun) = await Store("").ReadAsync(Ct);
        result.Folder = "one-1";
        Assert.Equal((result, 0), (Assert.Single(results), begun));
        var objects = await ObjectsAsync();
        Assert.Equal(["a/one-1/empty", "a/one-1/logs/agent 1.log", "a/one-1/match.mcap", "a/result.json"], objects.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(recording, objects["a/one-1/match.mcap"]);
        Assert.Equal("ünits", Encoding.UTF8.GetString(objects["a/one-1/logs/agent 1.log"]));
        Assert.Equal(result, Jobs.ReadResult(Encoding.UTF8.GetString(objects["a/result.json"]), "a"));
    }

    [Fact]
    public async Task Of_two_who_make_a_result_the_first_is_kept_and_nothing_else_stays()
    {
        var (one, other) = (Store("one"), Store("other"));
        var (first, second) = (await one.BeginAsync("a", Ct), await other.BeginAsync("a", Ct));
        var left = await one.BeginAsync("b", Ct);
        Assert.False(await one.HasAsync("a", Ct));
        Assert.Equal(2, (await other.ReadAsync(Ct)).Begun);
        await File.WriteAllTextAsync(Path.Combine(first, "match.mcap"), "first", Ct);
        await File.WriteAllTextAsync(Path.Combine(second, "match.mcap"), "second", Ct);

        // Killed while its files went up, and one of a name that begins as the other's.
        await PutAsync("a/dead-1/match.mcap", "half");
        await PutAsync("a/one-12/match.mcap", "half");
        await one.PublishAsync(first, Result("one"), Ct);
        Assert.True(await other.HasAsync("a", Ct));
        await other.PublishAsync(second, Result("other"), Ct);
        await one.EndAsync(first);
        await other.EndAsync(second);

        var (results, begun) = await other.ReadAsync(Ct);
        Assert.Equal(("one", 1), (Assert.Single(results).Worker, begun));
        var objects = await ObjectsAsync();
        Assert.Equal(["a/one-1/match.mcap", "a/result.json", "b/one-2.begun"], objects.Keys.Order(StringComparer.Ordinal));
        Assert.Equal("first", Encoding.UTF8.GetString(objects["a/one-1/match.mcap"]));
        await one.EndAsync(left);
        Assert.Equal(0, (await other.ReadAsync(Ct)).Begun);
    }

    [Fact]
    public async Task Of_many_at_once_one_is_kept_whole()
    {
        bucket.RequireAnother();
        const int Workers = 16;
        await Parallel.ForAsync(0, Workers, new ParallelOptions { MaxDegreeOfParallelism = Workers }, async (number, ct) =>
        {
            var store = Store($"w{number}");
            var folder = await store.BeginAsync("a", ct);
            await File.WriteAllTextAsync(Path.Combine(folder, "match.mcap"), $"w{number}", ct);
            await store.PublishAsync(folder, Result($"w{number}"), ct);
            await store.EndAsync(folder);
        });
        var result = Assert.Single((await Store("").ReadAsync(Ct)).Results);
        var objects = await ObjectsAsync();
        Assert.Equal([$"a/{result.Worker}-1/match.mcap", "a/result.json"], objects.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(result.Worker, Encoding.UTF8.GetString(objects[$"a/{result.Worker}-1/match.mcap"]));
    }

    [Fact]
    public async Task What_a_killed_worker_left_of_a_job_is_taken_away_by_who_finds_its_result()
    {
        var store = Store("one");
        await PutAsync("a/result.json", Jobs.Text(new JobResult(Result("dead")) { Folder = "dead-1" }));
        await PutAsync("a/dead-1/match.mcap", "whole");
        await PutAsync("a/dead-1.begun", "");
        await PutAsync("ab/dead-2.begun", "");
        await store.ClearAsync("a", Ct);
        await store.ClearAsync("ab", Ct);
        Assert.Equal(["a/dead-1/match.mcap", "a/result.json", "ab/dead-2.begun"], (await ObjectsAsync()).Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task A_result_that_was_copied_from_a_folder_stays_as_it_is()
    {
        await PutAsync("a/result.json", Jobs.Text(Result("one")));
        await PutAsync("a/match.mcap", "whole");
        await Store("other").ClearAsync("a", Ct);
        Assert.Equal(["a/match.mcap", "a/result.json"], (await ObjectsAsync()).Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task More_results_than_a_page_of_the_store_holds_are_read()
    {
        bucket.RequireAnother();
        const int Count = 1001;
        await Parallel.ForAsync(0, Count, Ct, async (number, _) =>
            await PutAsync($"job-{number}/result.json", Jobs.Text(Result($"{number}"))));
        var (results, begun) = await Store("").ReadAsync(Ct);
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
        Assert.Contains("make the bucket", (await Assert.ThrowsAsync<ResultStoreException>(() => none.OpenAsync(Ct))).Message, StringComparison.Ordinal);
        Assert.Contains("make the bucket", (await Assert.ThrowsAsync<ResultStoreException>(() => none.BeginAsync("a", Ct))).Message, StringComparison.Ordinal);

        var silent = Store("one", "http://user:pass@127.0.0.1:9");
        var message = (await Assert.ThrowsAsync<ResultStoreException>(() => silent.OpenAsync(Ct))).Message;
        Assert.Contains(" at 127.0.0.1:9 does not answer (Connection refused", message, StringComparison.Ordinal);
        Assert.DoesNotContain("pass@", message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<OperationCanceledException>(() => silent.OpenAsync(new CancellationToken(canceled: true)));
    }

    [Theory]
    [InlineData("s3://")]
    [InlineData("s3:///results")]
    [InlineData("s3://KEY:SECRET@bucket/results")]
    [InlineData("S3://Bucket")]
    public void What_is_no_bucket_is_refused(string where)
    {
        var message = Assert.Throws<ResultStoreException>(() => ResultStore.At(where, "one")).Message;
        Assert.StartsWith("that is no bucket: ", message, StringComparison.Ordinal);
        Assert.DoesNotContain("SECRET@", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("https://KEY:SECRET@bucket/results")]
    [InlineData("s3:/bucket")]
    [InlineData("file:///results")]
    public void What_is_neither_a_folder_nor_a_bucket_is_refused(string where)
    {
        var message = Assert.Throws<ResultStoreException>(() => ResultStore.At(where, "one")).Message;
        Assert.Equal("that is no store: name a folder, or s3://BUCKET/PREFIX", message);
    }

    [Theory]
    [InlineData("C:/results")]
    [InlineData("/results/a:/b")]
    public void What_may_be_a_folder_is_one(string where) => Assert.IsType<FolderStore>(ResultStore.At(where, "one"));

    [Fact]
    public async Task A_result_that_is_none_is_named()
    {
        await PutAsync("a/result.json", "{");
        var store = Store("one");
        Assert.True(await store.HasAsync("a", Ct));
        await store.ClearAsync("a", Ct);
        var message = (await Assert.ThrowsAsync<ResultStoreException>(() => store.ReadAsync(Ct))).Message;
        Assert.StartsWith($"s3://{bucket.Name}/{_prefix}/a/result.json: it is no result of a job", message, StringComparison.Ordinal);
    }

    private async Task IsNotLetInAsync(string key, string code)
    {
        const string Secret = "a secret";
        var store = Store("one", credentials: new BasicAWSCredentials(key, Secret));
        foreach (var asked in new Func<Task>[]
        {
            () => store.OpenAsync(Ct), () => store.BeginAsync("a", Ct), () => store.ReadAsync(Ct),
        })
        {
            var message = (await Assert.ThrowsAsync<ResultStoreException>(asked)).Message;
            Assert.Contains(
                $"{new Uri(bucket.Url).Authority} does not let you in ({code}): set AWS_ACCESS_KEY_ID and ", message, StringComparison.Ordinal);
            Assert.DoesNotContain(Secret, message, StringComparison.Ordinal);
        }

        // Of what is asked without its body only the status comes back.
        var shorter = (await Assert.ThrowsAsync<ResultStoreException>(() => store.HasAsync("a", Ct))).Message;
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
