using System.Collections.Concurrent;
using Amazon.Runtime;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Stores results in a bucket. Buckets cannot rename objects, so a worker uploads the files to <c>ID/WORKER/</c>. Then it creates
/// <c>ID/result.json</c>, which names that folder. The store accepts <c>result.json</c> only once (<c>If-None-Match: *</c>).
/// </summary>
/// <param name="where"><c>s3://BUCKET/PREFIX</c>.</param>
/// <param name="worker">The worker's name.</param>
/// <param name="endpoint">The store's URL; null to use the environment variables.</param>
/// <param name="credentials">The credentials; null to use the environment variables.</param>
/// <exception cref="ResultStoreException">The address does not name a valid bucket.</exception>
internal sealed class BucketStore(string where, string worker, string? endpoint = null, AWSCredentials? credentials = null)
    : ResultStore(worker)
{
    // The suffix of an object that marks a job as begun. The object is created before the match is played, by the same kind of
    // request as a result. So a worker notices before the match if the store refuses results.
    private const string BegunMark = ".begun";

    private const int MaxParallelReads = 16;

    private readonly Lazy<string> _scratchFolder = new(() => Directory.CreateTempSubdirectory("sc2bridge-work-").FullName);

    internal Bucket Bucket { get; } = new(where, endpoint, credentials);

    /// <inheritdoc/>
    public override string ToString() => Bucket.ToString();

    /// <inheritdoc/>
    public override Task CheckAsync(CancellationToken ct) => Bucket.CheckAsync(ct);

    /// <inheritdoc/>
    public override Task<bool> HasResultAsync(string id, CancellationToken ct) => Bucket.ExistsAsync($"{id}/{ResultFile}", ct);

    /// <inheritdoc/>
    public override async Task<string> BeginResultAsync(string id, CancellationToken ct)
    {
        var folder = MakeFolder(_scratchFolder.Value, id);
        try
        {
            await Bucket.PutOnceAsync(BegunKey(folder), "", "text/plain", ct);
        }
        catch
        {
            await DeleteFolderAsync(folder);
            throw;
        }

        return folder;
    }

    /// <inheritdoc/>
    public override async Task PublishAsync(string folder, JobResult result, CancellationToken ct)
    {
        var id = result.Job.Id;
        if (!await HasResultAsync(id, ct))
        {
            var own = Path.GetFileName(folder);
            foreach (var file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
            {
                var name = Path.GetRelativePath(folder, file).Replace(Path.DirectorySeparatorChar, '/');
                await Bucket.PutFileAsync($"{id}/{own}/{name}", file, ct);
            }

            await Bucket.PutOnceAsync($"{id}/{ResultFile}", Jobs.ToJson(new JobResult(result) { Folder = own }) + "\n", "application/json", ct);
        }

        if (!await HasResultAsync(id, ct))
        {
            throw new ResultStoreException($"{this} has lost the result of {id}: find out who deletes objects there");
        }

        await DeleteUnfinishedAsync(id, ct);
    }

    /// <inheritdoc/>
    public override async Task DeleteUnfinishedAsync(string id, CancellationToken ct)
    {
        try
        {
            // If the job has no result yet, its files may still become the result, so nothing is deleted.
            if (await ReadAsync(id, ct) is { } result)
            {
                // A result without a folder name was copied from a folder store. All files of the job belong to this result.
                var own = result.Folder.Length > 0 ? $"{id}/{result.Folder}/" : $"{id}/";
                await foreach (var key in Bucket.ListKeysAsync($"{id}/", ct))
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
            // For example, this user has no permission to delete. The next worker that finds the result tries again.
        }
    }

    /// <inheritdoc/>
    public override async Task DeleteFolderAsync(string folder)
    {
        DeleteFolder(folder);
        try
        {
            // Uploaded files stay until the job has a result. They may belong to the result, if the answer to PublishAsync was lost.
            await Bucket.DeleteAsync(BegunKey(folder), CancellationToken.None);
        }
        catch (ResultStoreException)
        {
            // The mark stays until the job has a result.
        }
    }

    /// <inheritdoc/>
    public override async Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAllAsync(CancellationToken ct)
    {
        var (begun, done) = (new HashSet<string>(StringComparer.Ordinal), new List<string>());
        await foreach (var key in Bucket.ListKeysAsync("", ct))
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
            done, new ParallelOptions { MaxDegreeOfParallelism = MaxParallelReads, CancellationToken = ct }, async (id, stop) =>
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
            if (_scratchFolder.IsValueCreated)
            {
                Directory.Delete(_scratchFolder.Value, recursive: true);
            }
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // Another process has deleted the folder, or has a file in it open.
        }
    }

    private static string BegunKey(string folder) =>
        $"{Path.GetFileName(Path.GetDirectoryName(folder)!)}/{Path.GetFileName(folder)}{BegunMark}";

    // Returns null if the job has no result.
    private async Task<JobResult?> ReadAsync(string id, CancellationToken ct) =>
        await Bucket.ReadAsync($"{id}/{ResultFile}", ct) is { } text ? Jobs.ParseResult(text, Bucket.AddressOf($"{id}/{ResultFile}")) : null;
}
