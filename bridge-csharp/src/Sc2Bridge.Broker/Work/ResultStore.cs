using System.Globalization;
using System.Text.RegularExpressions;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// What machines share, with a place for the result of each job, named by its id. A result is made in a folder that nobody
/// else has, and is there whole and once: of two who made it the first.
/// </summary>
/// <param name="worker">Who makes results.</param>
public abstract partial class ResultStore(string worker) : IDisposable
{
    /// <summary>What stands beside a result's files, or beside their folder.</summary>
    protected const string ResultFile = "result.json";

    private int _made;

    /// <summary>Names a store, which need not be there.</summary>
    /// <param name="where">A folder, or <c>s3://BUCKET/PREFIX</c>.</param>
    /// <param name="worker">Who makes results: unlike every other's name.</param>
    /// <exception cref="ResultStoreException">The address names no store.</exception>
    public static ResultStore At(string where, string worker)
    {
        ArgumentNullException.ThrowIfNull(where);
        return where.StartsWith(Bucket.Scheme, StringComparison.OrdinalIgnoreCase)
            ? new BucketStore(where, worker)

            // Not repeated: a URL may have a password in it.
            : OtherScheme().IsMatch(where) ? throw new ResultStoreException("that is no store: name a folder, or s3://BUCKET/PREFIX")
            : new FolderStore(where, worker);
    }

    /// <summary>Finds whether results can be put there.</summary>
    /// <exception cref="IOException">They cannot.</exception>
    /// <exception cref="UnauthorizedAccessException">They cannot.</exception>
    /// <exception cref="ResultStoreException">They cannot.</exception>
    public abstract Task OpenAsync(CancellationToken ct);

    /// <summary>Whether a job's result is there, whole.</summary>
    /// <exception cref="ResultStoreException">The store does not say.</exception>
    public abstract Task<bool> HasAsync(string id, CancellationToken ct);

    /// <summary>Makes the folder that a result is to be made in.</summary>
    /// <exception cref="IOException">It cannot be made.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be made.</exception>
    /// <exception cref="ResultStoreException">The store does not take results.</exception>
    public abstract Task<string> BeginAsync(string id, CancellationToken ct);

    /// <summary>Has a result be there, unless one is; what others began of it goes.</summary>
    /// <param name="folder">Where it was made.</param>
    /// <param name="result">What is to stand in it.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="IOException">A file cannot be read or written, is too large, or is not there any more.</exception>
    /// <exception cref="UnauthorizedAccessException">A file cannot be read or written.</exception>
    /// <exception cref="ResultStoreException">The store does not take the result.</exception>
    public abstract Task PublishAsync(string folder, JobResult result, CancellationToken ct);

    /// <summary>Takes away what was begun of a job that has its result, by whom ever; who still works on it finds that.
    /// What cannot be taken away stays: the job is done all the same.</summary>
    public abstract Task ClearAsync(string id, CancellationToken ct);

    /// <summary>Takes away a folder that was begun, and became a result or did not.</summary>
    public abstract Task EndAsync(string folder);

    /// <summary>Every result that is there, in no order, and how many jobs somebody has begun, or had when he died.</summary>
    /// <exception cref="IOException">They cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">They cannot be read.</exception>
    /// <exception cref="ResultStoreException">They cannot be read, or a <c>result.json</c> is not one.</exception>
    public abstract Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAsync(CancellationToken ct);

    /// <summary>Removes what the store keeps on this machine while it is used.</summary>
    public abstract void Dispose();

    /// <summary>Makes the folder of a worker's next try at a job: <c>PARENT/ID/WORKER-N</c>.</summary>
    /// <exception cref="IOException">It cannot be made.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be made.</exception>
    protected string MakeFolder(string parent, string id) => Directory.CreateDirectory(Path.Combine(
        parent, id, string.Create(CultureInfo.InvariantCulture, $"{worker}-{Interlocked.Increment(ref _made)}"))).FullName;

    /// <summary>Takes such a folder away, and the job's where it was the last.</summary>
    protected static void DeleteFolder(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
            Directory.Delete(Path.GetDirectoryName(folder)!);
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // It is a result, or somebody took it away, or another works on the job.
        }
    }

    // Two letters or more: C:/results is a folder.
    [GeneratedRegex("^[a-z][a-z0-9+.-]+:/", RegexOptions.IgnoreCase)]
    private static partial Regex OtherScheme();
}

/// <summary>A store cannot be used so, which no job is to blame for: one line that says what to do, and names no secret.</summary>
/// <param name="message">The line.</param>
/// <param name="inner">What caused it, for a debugger.</param>
public sealed class ResultStoreException(string message, Exception? inner = null) : GameException(message, inner);
