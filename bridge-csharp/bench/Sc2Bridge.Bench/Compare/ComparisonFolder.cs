namespace Sc2Bridge.Bench;

/// <summary>
/// Where a comparison keeps what it makes: a folder that was named, or one that is gone with it. It is this process's
/// alone while it has it, and that it is taken ends with the process, however that ends.
/// </summary>
internal sealed class ComparisonFolder : IDisposable
{
    private readonly TemporaryFolder _temporary = new();
    private readonly string _path;
    private readonly bool _isKept;
    private readonly FileStream? _claim;

    internal ComparisonFolder(string? named)
    {
        _isKept = named is not null;
        try
        {
            (_path, _claim) = named is null ? (_temporary.Path, null) : Take(named);
        }
        catch
        {
            _temporary.Dispose();
            throw;
        }
    }

    /// <summary>What is there as long as the comparison runs: sockets.</summary>
    internal string Temporary => _temporary.Path;

    internal string Runs => In("runs.jsonl");

    /// <summary>The recording that every measurement receives, where none was named.</summary>
    internal string Received => In("received.mcap");

    /// <summary>Its files that no result may take the place of.</summary>
    internal IEnumerable<string> Own => [Runs, Received, In(TemporaryFolder.ClaimName)];

    /// <summary>Where results go that are not sent elsewhere; null where the folder does not stay.</summary>
    internal string? Json => _isKept ? In("report.json") : null;

    internal string? Html => _isKept ? In("report.html") : null;

    /// <summary>Without runs there is nothing that tells what its recording is of: it is made anew then.</summary>
    internal void ForgetOld()
    {
        if (new FileInfo(Runs) is not { Exists: true, Length: > 0 })
        {
            File.Delete(Received);
        }
    }

    public void Dispose()
    {
        _claim?.Dispose();
        _temporary.Dispose();
    }

    private static (string Path, FileStream Claim) Take(string named)
    {
        try
        {
            var path = Directory.CreateDirectory(named).FullName;
            return (path, TemporaryFolder.Claim(path) ?? throw new CommandException(
                $"a comparison runs in {named}: wait for it, end it, or name another folder"));
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"{named} cannot be made: {problem.Message}", problem);
        }
    }

    private string In(string name) => Path.Combine(_path, name);
}
