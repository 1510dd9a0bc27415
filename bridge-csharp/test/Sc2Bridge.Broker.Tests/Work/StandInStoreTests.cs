using System.Collections.Concurrent;
using Amazon.Runtime;
using Sc2Bridge.Broker.Work;
using static Sc2Bridge.Broker.Tests.StandInStore;

namespace Sc2Bridge.Broker.Tests.Work;

/// <summary>Unusual answers of a bucket's store, and missing answers.</summary>
public sealed class StandInStoreTests
{
    private const string Key = "/bucket/a/result.json";
    private const string List = "<ListBucketResult><Contents><Key>a/result.json</Key></Contents><Contents><Key>a/dead-1/x</Key></Contents></ListBucketResult>";

    [Theory]
    [InlineData(0, 412)]
    [InlineData(2, 200)]
    public async Task A_result_that_is_there_is_kept_and_one_in_conflict_is_put_again(int conflicts, int last)
    {
        var tries = 0;
        using var server = new StandInStore(request => request switch
        {
            "PUT /bucket/a/one-1.begun" => Answer(412),
            $"PUT {Key}" => ++tries <= conflicts ? Error(409, "ConditionalRequestConflict") : Answer(last),
            $"HEAD {Key}" => Answer(tries > conflicts ? 200 : 404),
            _ => Answer(200),
        });
        using var store = Store(server);
        await PublishAsync(store);
        Assert.Equal(conflicts + 1, tries);
    }

    [Fact]
    public async Task A_conflict_that_does_not_end_is_the_stores_failure()
    {
        using var server = new StandInStore(request => request[0] == 'P' ? Error(409, "ConditionalRequestConflict") : Answer(404));
        using var store = Store(server);
        var message = (await Assert.ThrowsAsync<ResultStoreException>(() => store.BeginResultAsync("a", Ct))).Message;
        Assert.Contains(" refuses the request (ConditionalRequestConflict)", message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_that_does_not_know_conditions_is_found_before_a_match_is_played()
    {
        using var server = new StandInStore(request => request[0] == 'P' ? Error(501, "NotImplemented") : Answer(404));
        using var store = Store(server);
        var message = (await Assert.ThrowsAsync<ResultStoreException>(() => store.BeginResultAsync("a", Ct))).Message;
        Assert.Contains(" does not support If-None-Match", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("EntityTooLarge")]
    [InlineData("KeyTooLongError")]
    public async Task What_no_store_takes_is_the_jobs_failure(string code)
    {
        using var server = new StandInStore(request => request[0] == 'P' ? Error(400, code) : Answer(404));
        using var store = Store(server);
        Assert.Contains(code, (await Assert.ThrowsAsync<IOException>(() => store.BeginResultAsync("a", Ct))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_file_that_cannot_be_read_is_the_jobs_failure()
    {
        using var server = new StandInStore(request => Answer(request[0] == 'H' ? 404 : 200));
        using var store = Store(server);
        var folder = await store.BeginResultAsync("a", Ct);
        File.CreateSymbolicLink(Path.Combine(folder, "match.mcap"), Path.Combine(folder, "gone"));
        await Assert.ThrowsAsync<FileNotFoundException>(() => store.PublishAsync(folder, Result(), Ct));
    }

    [Fact]
    public async Task Half_an_answer_and_a_connection_that_breaks_are_the_stores_failure()
    {
        string? half = Answer(200, "{", missing: 100);
        using var server = new StandInStore(request => request == $"GET {Key}" ? half : Answer(200, List));
        using var store = Store(server);
        await Told();
        half = "";
        await Told();

        async Task Told() => Assert.Contains(
            " does not answer (", (await Assert.ThrowsAsync<ResultStoreException>(() => store.ReadAllAsync(Ct))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_that_stands_still_keeps_nobody()
    {
        var isStill = false;
        using var server = new StandInStore(_ => isStill ? null : Answer(200));
        using var store = Store(server);
        var folder = await store.BeginResultAsync("a", Ct);
        isStill = true;
        using var impatient = new BucketStore("s3://bucket", "one", server.Url, Credentials) { Bucket = { LongestRequest = TimeSpan.FromMilliseconds(50) } };
        Assert.Contains(
            " does not answer (it did not answer in time)", (await Assert.ThrowsAsync<ResultStoreException>(() => impatient.HasResultAsync("a", Ct))).Message,
            StringComparison.Ordinal);
        await impatient.DeleteFolderAsync(folder);
        Assert.False(Directory.Exists(folder));
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task An_upload_may_take_long_if_the_store_takes_bytes()
    {
        var isDone = false;
        using var server = new StandInStore(request =>
        {
            isDone |= request == $"PUT {Key}";
            return Answer(request == $"HEAD {Key}" && !isDone ? 404 : 200);
        })
        {
            Pause = TimeSpan.FromSeconds(0.5),
        };
        using var store = new BucketStore("s3://bucket", "one", server.Url, Credentials) { Bucket = { LongestSilence = TimeSpan.FromSeconds(3) } };
        var folder = await store.BeginResultAsync("a", Ct);
        await File.WriteAllBytesAsync(Path.Combine(folder, "match.mcap"), new byte[32 << 20], Ct);
        await store.PublishAsync(folder, Result(), Ct);
        Assert.True(isDone);
    }

    [Fact]
    public async Task A_large_file_goes_up_in_parts()
    {
        var requests = new ConcurrentQueue<string>();
        using var server = new StandInStore(request =>
        {
            requests.Enqueue(request);
            return request switch
            {
                "POST /bucket/a/one-1/match.mcap" when requests.Count(one => one == request) == 1 =>
                    Answer(200, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"),
                "POST /bucket/a/one-1/match.mcap" => Answer(200, "<CompleteMultipartUploadResult/>"),
                _ => Answer(request == $"HEAD {Key}" && !requests.Contains($"PUT {Key}") ? 404 : 200),
            };
        });
        using var store = new BucketStore("s3://bucket", "one", server.Url, Credentials) { Bucket = { PartBytes = 2 } };
        await PublishAsync(store);
        Assert.Equal(3, requests.Count(request => request == "PUT /bucket/a/one-1/match.mcap"));
        Assert.Equal(2, requests.Count(request => request == "POST /bucket/a/one-1/match.mcap"));
    }

    [Fact]
    public async Task Of_a_large_file_that_the_store_does_not_take_no_parts_stay()
    {
        var requests = new ConcurrentQueue<string>();
        using var server = new StandInStore(request =>
        {
            requests.Enqueue(request);
            return request switch
            {
                "POST /bucket/a/one-1/match.mcap" => Answer(200, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"),
                "PUT /bucket/a/one-1/match.mcap" => Error(403, "AccessDenied"),
                _ => Answer(request == $"HEAD {Key}" ? 404 : 200),
            };
        });
        using var store = new BucketStore("s3://bucket", "one", server.Url, Credentials) { Bucket = { PartBytes = 2 } };
        await Assert.ThrowsAsync<ResultStoreException>(() => PublishAsync(store));
        Assert.Contains("DELETE /bucket/a/one-1/match.mcap", requests);
    }

    [Fact]
    public async Task An_upload_that_stands_still_is_the_stores_failure()
    {
        using var server = new StandInStore(request => request switch
        {
            _ when request.EndsWith("/match.mcap", StringComparison.Ordinal) => null,
            _ => Answer(request[0] == 'H' ? 404 : 200),
        });
        using var store = new BucketStore("s3://bucket", "one", server.Url, Credentials) { Bucket = { LongestSilence = TimeSpan.FromMilliseconds(200) } };
        Assert.Contains(
            " does not answer (it did not answer in time)",
            (await Assert.ThrowsAsync<ResultStoreException>(() => PublishAsync(store))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_done_job_stays_done_where_nobody_may_delete()
    {
        using var server = new StandInStore(request => request switch
        {
            $"GET {Key}" => Answer(200, """{"folder": "one-1"}"""),
            _ when request.StartsWith("DELETE ", StringComparison.Ordinal) => Error(403, "AccessDenied"),
            _ when request.StartsWith("GET ", StringComparison.Ordinal) => Answer(200, List),
            _ => Answer(200),
        });
        using var store = Store(server);
        await store.DeleteUnfinishedAsync("a", Ct);
        await PublishAsync(store);
    }

    [Fact]
    public async Task Nothing_stays_on_the_machine()
    {
        using var server = new StandInStore(_ => Answer(200));
        var store = Store(server);
        var scratch = Path.GetDirectoryName(Path.GetDirectoryName(await store.BeginResultAsync("a", Ct)));
        store.Dispose();
        Assert.False(Directory.Exists(scratch));
    }

    private static BasicAWSCredentials Credentials => new("key", "secret");

    private static BucketStore Store(StandInStore server) => new("s3://bucket", "one", server.Url, Credentials);

    private static JobResult Result() => new() { Job = new Job { Id = "a" }, Worker = "one" };

    private static async Task PublishAsync(BucketStore store)
    {
        var folder = await store.BeginResultAsync("a", Ct);
        await File.WriteAllTextAsync(Path.Combine(folder, "match.mcap"), "whole", Ct);
        await store.PublishAsync(folder, Result(), Ct);
        await store.DeleteFolderAsync(folder);
    }
}
