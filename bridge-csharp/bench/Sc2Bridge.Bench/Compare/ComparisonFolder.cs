namespace Sc2Bridge.Bench;

/// <summary>
/// Where a comparison keeps what it makes: a folder that was named, or one that is gone with it. It is this process's
/// alone while it has it, and that it is taken ends with the process, however that ends.
/// </summary>
internal sealed class ComparisonFolder : IDisposable
{
    private const string Recordings = "received";

    private readonly TemporaryFolder _temporary = new();
    private readonly FileStream? _claim;

    /// <param name="named">Null for one that is gone in the end.</param>
    /// <exception cref="CommandException">It cannot be made, or another comparison runs in it.</exception>
    internal ComparisonFolder(string? named)
    {
        IsKept = named is not null;
        try
        {
            (Path, _claim) = named is null ? (_temporary.Path, null) : Take(named);
        }
        catch
        {
            _temporary.Dispose();
            throw;
        }
    }

    /// <summary>The folder.</summary>
    internal string Path { get; }

    /// <summary>What is there as long as the comparison runs: sockets.</summary>
    internal string Temporary => _temporary.Path;

    /// <summary>Whether it was named, and stays.</summary>
    internal bool IsKept { get; }

    /// <summary>Every run, a line each.</summary>
    internal string Runs => In("runs.jsonl");

    /// <summary>Every run of series and searches.</summary>
    internal string ScaleRuns => In("scale.jsonl");

    /// <summary>The recording that every measurement receives, where none was named.</summary>
    internal string Received => In($"{Recordings}.mcap");

    /// <summary>What its files are called by that a result may not take the place of.</summary>
    internal IEnumerable<string> Own =>
        [Runs, ScaleRuns, Received, Log, In(DirectoryLock.FileName), In(ComparisonState.File)];

    /// <summary>Where results go that are not sent elsewhere; null where the folder does not stay.</summary>
    internal string? Json => IsKept ? In("report.json") : null;

    /// <summary>The same of the page.</summary>
    internal string? Html => IsKept ? In("report.html") : null;

    /// <summary>What a run in the background prints.</summary>
    internal string Log => In("log.txt");

    /// <summary>
    /// Without runs there is nothing that tells what its recordings are of: they are made anew then.
    /// </summary>
    internal void ForgetOld()
    {
        if (new FileInfo(Runs) is not { Exists: true, Length: > 0 })
        {
            foreach (var recording in Directory.GetFiles(Path, $"{Recordings}*.mcap"))
            {
                File.Delete(recording);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _claim?.Dispose();
        _temporary.Dispose();
    }

    private static (string Path, FileStream Claim) Take(string named)
    {
        if (named.Trim() is "")
        {
            throw new CommandException("--out: name a folder");
        }

        try
        {
            var path = Directory.CreateDirectory(named).FullName;
            return (path, DirectoryLock.Take(path) ?? throw new CommandException(
                $"a comparison runs in {named}{ComparisonState.ProcessOf(path)}: watch it with compare --out {named} "
                + "--status, end it, or name another folder"));
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"{named} cannot be made: {problem.Message}", problem);
        }
    }

    private string In(string name) => System.IO.Path.Combine(Path, name);
}
