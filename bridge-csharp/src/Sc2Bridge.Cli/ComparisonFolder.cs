namespace Sc2Bridge.Cli;

/// <summary>Where a comparison keeps what it makes: a folder that was named, or one that is gone with it.</summary>
internal sealed class ComparisonFolder : IDisposable
{
    private readonly DirectoryInfo? _temporary;

    /// <param name="named">Null for one that is gone in the end.</param>
    /// <exception cref="CommandException">It cannot be made.</exception>
    internal ComparisonFolder(string? named)
    {
        try
        {
            _temporary = named is null ? Directory.CreateTempSubdirectory("sc2bridge-compare-") : null;
            Path = _temporary?.FullName ?? Directory.CreateDirectory(named!).FullName;
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"{named} cannot be made: {problem.Message}", problem);
        }
    }

    /// <summary>The folder.</summary>
    internal string Path { get; }

    /// <summary>Every run, a line each.</summary>
    internal string Runs => System.IO.Path.Combine(Path, "runs.jsonl");

    /// <summary>The recording that every cell hears, where none was named.</summary>
    internal string Match => System.IO.Path.Combine(Path, "match.mcap");

    /// <inheritdoc/>
    public void Dispose() => _temporary?.Delete(recursive: true);
}
