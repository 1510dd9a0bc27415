namespace Sc2Bridge.Cli;

/// <summary>
/// Where a comparison keeps what it makes: a folder that was named, or one that is gone with it. It is this process's
/// alone while it has it, and that it is taken ends with the process, however that ends.
/// </summary>
internal sealed class ComparisonFolder : IDisposable
{
    private const string TakenName = "taken";
    private const string Recordings = "heard";

    private readonly DirectoryInfo? _temporary;
    private readonly FileStream _taken;

    /// <param name="named">Null for one that is gone in the end.</param>
    /// <exception cref="CommandException">It cannot be made, or another comparison runs in it.</exception>
    internal ComparisonFolder(string? named)
    {
        if (named?.Trim() is "")
        {
            throw new CommandException("--out: name a folder");
        }

        try
        {
            _temporary = named is null ? Directory.CreateTempSubdirectory("sc2bridge-compare-") : null;
            Path = _temporary?.FullName ?? Directory.CreateDirectory(named!).FullName;
            _taken = Take(Path) ?? throw new CommandException(
                $"a comparison runs in {named}{ComparisonState.ProcessOf(Path)}: watch it with compare --out {named} "
                + "--status, end it, or name another folder");
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"{named} cannot be made: {problem.Message}", problem);
        }
    }

    /// <summary>The folder.</summary>
    internal string Path { get; }

    /// <summary>Whether it was named, and stays.</summary>
    internal bool IsKept => _temporary is null;

    /// <summary>Every run, a line each.</summary>
    internal string Runs => In("runs.jsonl");

    /// <summary>Every run of series and searches.</summary>
    internal string ScaleRuns => In("scale.jsonl");

    /// <summary>The recording that every cell hears, where none was named.</summary>
    internal string Heard => In($"{Recordings}.mcap");

    /// <summary>What its files are called by that a result may not take the place of.</summary>
    internal IEnumerable<string> Own => [Runs, ScaleRuns, Heard, Log, In(TakenName), In(ComparisonState.File)];

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

    /// <summary>Whether a comparison runs in a folder. Anybody may ask who may read it.</summary>
    internal static bool IsTaken(string folder)
    {
        try
        {
            using var free = new FileStream(
                System.IO.Path.Combine(folder, TakenName), FileMode.Open, FileAccess.Read, FileShare.Read);
            return false;
        }
        catch (IOException problem)
        {
            return problem is not (FileNotFoundException or DirectoryNotFoundException);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _taken.Dispose();
        _temporary?.Delete(recursive: true);
    }

    // Null where another process has it.
    private static FileStream? Take(string folder)
    {
        try
        {
            return new FileStream(
                System.IO.Path.Combine(folder, TakenName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException taken) when (taken is not (DirectoryNotFoundException or FileNotFoundException))
        {
            return null;
        }
    }

    private string In(string name) => System.IO.Path.Combine(Path, name);
}
