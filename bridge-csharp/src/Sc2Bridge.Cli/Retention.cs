namespace Sc2Bridge.Cli;

/// <summary>
/// Decides which games of a series keep their files. The files of the oldest games are deleted first. The files of failed games
/// and of the last game are kept, and also files that the bridge did not write.
/// </summary>
internal sealed record Retention
{
    /// <summary>The maximum number of games that keep their files; null for all.</summary>
    internal int? MaxGames { get; init; }

    /// <summary>The maximum size of all kept files in bytes; null for no limit.</summary>
    internal long? MaxBytes { get; init; }

    /// <summary>Deletes the files of games beyond the limits.</summary>
    /// <param name="games">The series so far. The method marks the games whose files it deletes.</param>
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
            if (count <= (MaxGames ?? int.MaxValue) && bytes <= (MaxBytes ?? long.MaxValue))
            {
                return;
            }

            var gameBytes = FilesOf(game).Sum(file => file.Length);
            if (Delete(game))
            {
                bytes -= gameBytes;
                count--;
                games[games.IndexOf(game)] = game with { Deleted = true };
            }
        }
    }

    private static IEnumerable<FileInfo> FilesOf(SeriesGame game) => OutputFolder.MatchFiles.Concat([KeptBundles.JsonName, KeptBundles.PageName])
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
            // The files of this game cannot be deleted. Files of other games are deleted instead.
            return false;
        }
    }
}
