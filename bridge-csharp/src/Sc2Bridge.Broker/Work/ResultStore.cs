using System.Globalization;
using System.Text.RegularExpressions;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Stores the results of jobs, by job id, for the workers of all machines. A worker builds a result in its own folder and then
/// publishes the result in one step. If two workers publish a result of the same job, the first result stays.
/// </summary>
/// <param name="worker">The worker's name.</param>
public abstract partial class ResultStore(string worker) : IDisposable
{
    /// <summary>The name of the file with the job's result.</summary>
    protected const string ResultFile = "result.json";

    private int _folderCount;

    /// <summary>Makes a store for an address. The store does not have to exist yet.</summary>
    /// <param name="where">A folder, or <c>s3://BUCKET/PREFIX</c>.</param>
    /// <param name="worker">The worker's unique name.</param>
    /// <exception cref="ResultStoreException">The address is not valid.</exception>
    public static ResultStore Create(string where, string worker)
    {
        ArgumentNullException.ThrowIfNull(where);
        return where.StartsWith(Bucket.Scheme, StringComparison.OrdinalIgnoreCase)
            ? new BucketStore(where, worker)

            // The address is not repeated, because a URL may contain a password.
            : OtherScheme().IsMatch(where) ? throw new ResultStoreException("invalid address of a result store: name a folder, or s3://BUCKET/PREFIX")
            : new FolderStore(where, worker);
    }

    /// <summary>Checks that results can be stored.</summary>
    /// <exception cref="IOException">The store cannot be used.</exception>
    /// <exception cref="UnauthorizedAccessException">The store cannot be used.</exception>
    /// <exception cref="ResultStoreException">The store cannot be used.</exception>
    public abstract Task CheckAsync(CancellationToken ct);

    /// <summary>Whether a job has a complete result.</summary>
    /// <exception cref="ResultStoreException">The store cannot be read.</exception>
    public abstract Task<bool> HasResultAsync(string id, CancellationToken ct);

    /// <summary>Creates a folder to build a result in.</summary>
    /// <exception cref="IOException">The folder cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder cannot be created.</exception>
    /// <exception cref="ResultStoreException">The store refuses results.</exception>
    public abstract Task<string> BeginResultAsync(string id, CancellationToken ct);

    /// <summary>Publishes a result, unless the job already has a result. Then deletes unfinished results of the job.</summary>
    /// <param name="folder">The folder that the result was built in.</param>
    /// <param name="result">The content of <c>result.json</c>.</param>
    /// <param name="ct">Cancels the publication.</param>
    /// <exception cref="IOException">A file cannot be read or written, is too large, or has been deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">A file cannot be read or written.</exception>
    /// <exception cref="ResultStoreException">The store refuses the result.</exception>
    public abstract Task PublishAsync(string folder, JobResult result, CancellationToken ct);

    /// <summary>Deletes the unfinished results of a job that has a result, including those of other workers. Another worker notices
    /// the deletion when it publishes. Files that cannot be deleted stay; this is not an error.</summary>
    public abstract Task DeleteUnfinishedAsync(string id, CancellationToken ct);

    /// <summary>Deletes a folder from <see cref="BeginResultAsync"/>, whether its result was published or not.</summary>
    public abstract Task DeleteFolderAsync(string folder);

    /// <summary>Reads all results, in any order, and the number of jobs that were begun but have no result yet.</summary>
    /// <exception cref="IOException">The results cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The results cannot be read.</exception>
    /// <exception cref="ResultStoreException">The results cannot be read, or a <c>result.json</c> is not valid.</exception>
    public abstract Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAllAsync(CancellationToken ct);

    /// <summary>Deletes the store's temporary files on this machine.</summary>
    public abstract void Dispose();

    /// <summary>Creates the folder for a worker's next attempt at a job: <c>PARENT/ID/WORKER-N</c>.</summary>
    /// <exception cref="IOException">The folder cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder cannot be created.</exception>
    protected string MakeFolder(string parent, string id) => Directory.CreateDirectory(Path.Combine(
        parent, id, string.Create(CultureInfo.InvariantCulture, $"{worker}-{Interlocked.Increment(ref _folderCount)}"))).FullName;

    /// <summary>Deletes a worker's folder, and the job's folder if it is then empty.</summary>
    protected static void DeleteFolder(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
            Directory.Delete(Path.GetDirectoryName(folder)!);
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // The folder was published or deleted already, or another worker has a folder for this job.
        }
    }

    // The pattern requires at least two letters before the colon, because C:/results is a folder.
    [GeneratedRegex("^[a-z][a-z0-9+.-]+:/", RegexOptions.IgnoreCase)]
    private static partial Regex OtherScheme();
}

/// <summary>A result store cannot be used, and the job is not the cause. The message is one line with the remedy. It contains no secrets.</summary>
/// <param name="message">The problem and the remedy, as one line.</param>
/// <param name="inner">The cause, for debugging.</param>
public sealed class ResultStoreException(string message, Exception? inner = null) : GameException(message, inner);
