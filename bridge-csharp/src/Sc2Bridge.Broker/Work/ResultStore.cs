using System.Globalization;
using System.Text;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// A folder, as a rule one that machines share, with a folder for the result of each job, named by its id. A result is made
/// as <c>.partial/ID/WORKER</c> in it, and gets its name whole and once: of two who made it the first.
/// </summary>
/// <param name="root">Where.</param>
/// <param name="worker">Who makes results: unlike every other's name.</param>
public sealed class ResultStore(string root, string worker)
{
    private const string ResultFile = "result.json";

    // By default "a.*" finds "a" as well.
    private static readonly EnumerationOptions _exactly = new() { MatchType = MatchType.Simple, AttributesToSkip = 0 };

    private readonly string _partial = Path.Combine(root, ".partial");
    private int _made;

    /// <summary>Whether a job's result is there, whole.</summary>
    public bool Has(string id) => File.Exists(Path.Combine(root, id, ResultFile));

    /// <summary>Makes the folder that a result is to be made in.</summary>
    /// <exception cref="IOException">It cannot be made.</exception>
    public string Begin(string id) => Directory.CreateDirectory(Path.Combine(
        _partial, id, string.Create(CultureInfo.InvariantCulture, $"{worker}-{Interlocked.Increment(ref _made)}"))).FullName;

    /// <summary>Gives a result its name, on the disk before that; what others began of it goes.</summary>
    /// <param name="folder">Where it was made.</param>
    /// <param name="result">What is to stand in it.</param>
    /// <exception cref="IOException">It cannot be written, or is not there any more.</exception>
    public void Publish(string folder, JobResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
        File.WriteAllText(Path.Combine(folder, ResultFile), Jobs.Text(result) + "\n", new UTF8Encoding(false));
        foreach (var file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            using var written = File.OpenHandle(file, FileMode.Open, FileAccess.ReadWrite);
            RandomAccess.FlushToDisk(written);
        }

        try
        {
            // Onto a folder that holds something no system moves another.
            Directory.Move(folder, Path.Combine(root, result.Job.Id));
        }
        catch (IOException) when (Has(result.Job.Id))
        {
            // Somebody else was quicker: theirs it is.
        }

        Clear(result.Job.Id);
    }

    /// <summary>Takes away what was begun of a job, by whom ever; who still works on it finds it gone.</summary>
    public void Clear(string id)
    {
        // Moved first: one of them may be given its name at this moment.
        Try(() => Directory.Move(Path.Combine(_partial, id), Path.Combine(_partial, $"{id}.{Guid.NewGuid():N}")));

        // Also what one had moved who was killed then.
        Try(() =>
        {
            foreach (var gone in Directory.EnumerateDirectories(_partial, $"{id}.*", _exactly))
            {
                Try(() => Directory.Delete(gone, recursive: true));
            }
        });

        static void Try(Action clear)
        {
            try
            {
                clear();
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException)
            {
                // Somebody else took it away, or writes into it still.
            }
        }
    }

    /// <summary>Takes away what became no result.</summary>
    public static void End(string folder)
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

    /// <summary>Every result that is there, in no order.</summary>
    /// <exception cref="FormatException">One is none.</exception>
    public IEnumerable<JobResult> Results() =>
        Directory.EnumerateDirectories(root)
            .Where(folder => !Path.GetFileName(folder).Contains('.', StringComparison.Ordinal))
            .Select(folder => Path.Combine(folder, ResultFile))
            .Where(File.Exists)
            .Select(file => Jobs.ReadResult(File.ReadAllText(file)));

    /// <summary>Jobs that somebody has begun, or had when he died, and that have no result.</summary>
    public int Begun() => !Directory.Exists(_partial) ? 0 : Directory.EnumerateDirectories(_partial)
        .Count(job => !Has(Path.GetFileName(job)) && !job.AsSpan(_partial.Length).Contains('.'));
}
