using System.Collections.Concurrent;
using Amazon.Runtime;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Results in a bucket, which renames nothing: files go to <c>ID/WORKER/</c>, and then <c>ID/result.json</c> names that
/// folder, which the store takes once (<c>If-None-Match: *</c>).
/// </summary>
/// <param name="where"><c>s3://BUCKET/PREFIX</c>.</param>
/// <param name="worker">Who makes results.</param>
/// <param name="endpoint">The store's URL; null: as the environment has it.</param>
/// <param name="credentials">Who connects; null: as the environment has it.</param>
/// <exception cref="ResultStoreException">The address names no bucket.</exception>
internal sealed class BucketStore(string where, string worker, string? endpoint = null, AWSCredentials? credentials = null)
    : ResultStore(worker)
{
    // The end of an object's name that says that a worker has begun a job. It is put, as a result is, before the match is
    // played, so that a store that refuses results is found out early.
    private const string BegunMark = ".begun";

    private const int ReadAtOnce = 16;

    private readonly Lazy<string> _scratch = new(() => Directory.CreateTempSubdirectory("sc2bridge-work-").FullName);

    internal Bucket Bucket { get; } = new(where, endpoint, credentials);

    /// <inheritdoc/>
    public override string ToString() => Bucket.ToString();

    /// <inheritdoc/>
    public override Task OpenAsync(CancellationToken ct) => Bucket.OpenAsync(ct);

    /// <inheritdoc/>
    public override Task<bool> HasAsync(string id, CancellationToken ct) => Bucket.HasAsync($"{id}/{ResultFile}", ct);

    /// <inheritdoc/>
    public override async Task<string> BeginAsync(string id, CancellationToken ct)
    {
        var folder = MakeFolder(_scratch.Value, id);
        try
        {
            await Bucket.PutOnceAsync(BegunKey(folder), "", "text/plain", ct);
        }
        catch
        {
            await EndAsync(folder);
            throw;
        }

        return folder;
    }

    /// <inheritdoc/>
    public override async Task PublishAsync(string folder, JobResult result, CancellationToken ct)
    {
        var id = result.Job.Id;
        if (!await HasAsync(id, ct))
        {
            var own = Path.GetFileName(folder);
            foreach (var file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
            {
                var name = Path.GetRelativePath(folder, file).Replace(Path.DirectorySeparatorChar, '/');
                await Bucket.PutFileAsync($"{id}/{own}/{name}", file, ct);
            }

            await Bucket.PutOnceAsync($"{id}/{ResultFile}", Jobs.Text(new JobResult(result) { Folder = own }) + "\n", "application/json", ct);
        }

        if (!await HasAsync(id, ct))
        {
            throw new ResultStoreException($"{this} did not keep the result of {id}, and has none: look who deletes there");
        }

        await ClearAsync(id, ct);
    }

    /// <inheritdoc/>
    public override async Task ClearAsync(string id, CancellationToken ct)
    {
        try
        {
            // Without a result, what is there may become one.
            if (await ReadAsync(id, ct) is { } result)
            {
                // Of a result that names no folder, as a copy of one that was made in a folder, all is its own.
                var own = result.Folder.Length > 0 ? $"{id}/{result.Folder}/" : $"{id}/";
                await foreach (var key in Bucket.KeysAsync($"{id}/", ct))
                {
                    if (key != $"{id}/{ResultFile}" && !key.StartsWith(own, StringComparison.Ordinal))
                    {
                        await Bucket.DeleteAsync(key, ct);
                    }
                }
            }
        }
        catch (ResultStoreException)
        {
            // As where somebody may not delete: who finds the result next may.
        }
    }

    /// <inheritdoc/>
    public override async Task EndAsync(string folder)
    {
        DeleteFolder(folder);
        try
        {
            // Files that went up stay until the job has a result: it may be theirs, if the answer was lost.
            await Bucket.DeleteAsync(BegunKey(folder), CancellationToken.None);
        }
        catch (ResultStoreException)
        {
            // The mark stays too, and is deleted when the job has a result.
        }
    }

    /// <inheritdoc/>
    public override async Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAsync(CancellationToken ct)
    {
        var (begun, done) = (new HashSet<string>(StringComparer.Ordinal), new List<string>());
        await foreach (var key in Bucket.KeysAsync("", ct))
        {
            if (key.Split('/', 2) is [var id, var name])
            {
                begun.Add(id);
                if (name == ResultFile)
                {
                    done.Add(id);
                }
            }
        }

        var results = new ConcurrentBag<JobResult>();
        await Parallel.ForEachAsync(
            done, new ParallelOptions { MaxDegreeOfParallelism = ReadAtOnce, CancellationToken = ct }, async (id, stop) =>
            {
                if (await ReadAsync(id, stop) is { } result)
                {
                    results.Add(result);
                }
            });
        return ([.. results], begun.Count - done.Count);
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        Bucket.Dispose();
        try
        {
            if (_scratch.IsValueCreated)
            {
                Directory.Delete(_scratch.Value, recursive: true);
            }
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // Somebody took it away, or has a file of it open.
        }
    }

    private static string BegunKey(string folder) =>
        $"{Path.GetFileName(Path.GetDirectoryName(folder)!)}/{Path.GetFileName(folder)}{BegunMark}";

    // Null where there is none.
    private async Task<JobResult?> ReadAsync(string id, CancellationToken ct) =>
        await Bucket.ReadAsync($"{id}/{ResultFile}", ct) is { } text ? Jobs.ReadResult(text, Bucket.NameOf($"{id}/{ResultFile}")) : null;
}
