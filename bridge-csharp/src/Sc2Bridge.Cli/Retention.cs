namespace Sc2Bridge.Cli;

/// <summary>
/// Which games of a series keep their files. The oldest go first; of those that failed, and the one that was played last,
/// none do, and nothing that the bridge did not write.
/// </summary>
internal sealed record Retention
{
    /// <summary>The most games; null for all.</summary>
    internal int? Games { get; init; }

    /// <summary>The most bytes of their files; null for any.</summary>
    internal long? Bytes { get; init; }

    /// <summary>Deletes the files of those that are beyond it.</summary>
    /// <param name="games">The series so far; what is deleted is noted in it.</param>
    internal void Apply(List<SeriesGame> games)
    {
        if (this == new Retention())
        {
            return;
        }

        var kept = games.Where(game => !game.Deleted).ToList();
        var count = kept.Count;
        var bytes = kept.Sum(game => FilesOf(game).Sum(file => file.Length));
        foreach (var game in kept.SkipLast(1).Where(game => game is { Aborted: false, FailedWrites: null }))
        {
            if (count <= (Games ?? int.MaxValue) && bytes <= (Bytes ?? long.MaxValue))
            {
                return;
            }

            var itsBytes = FilesOf(game).Sum(file => file.Length);
            if (Delete(game))
            {
                bytes -= itsBytes;
                count--;
                games[games.IndexOf(game)] = game with { Deleted = true };
            }
        }
    }

    private static IEnumerable<FileInfo> FilesOf(SeriesGame game) => OutputFolder.MatchFiles
        .Select(name => new FileInfo(Path.Combine(game.Folder, name)))
        .Where(file => file is { Exists: true, LinkTarget: null });

    private static bool Delete(SeriesGame game)
    {
        try
        {
            foreach (var file in FilesOf(game))
            {
                file.Delete();
            }

            if (!Directory.EnumerateFileSystemEntries(game.Folder).Any())
            {
                Directory.Delete(game.Folder);
            }

            return true;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // It is kept then; others go.
            return false;
        }
    }
}
