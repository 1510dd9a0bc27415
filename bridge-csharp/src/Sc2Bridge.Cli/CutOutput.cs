namespace Sc2Bridge.Cli;

/// <summary>
/// Finds what bridges left that were killed, or whose disk was full, and makes it whole as far as it goes. A folder costs
/// one look, whatever it holds. Killed meanwhile, it is begun again: each file gets its name in one step, and what tells of
/// the rest goes last.
/// </summary>
/// <param name="say">Gets a line for each recording.</param>
internal sealed class CutOutput(Action<string> say)
{
    private static readonly IReadOnlyList<string> Logs = ["steps.csv", "agents.csv"];
    private readonly CutRecording _recording = new(say);

    /// <summary>A match's folder, or those of a series.</summary>
    internal static IEnumerable<string> FoldersOf(string path) =>
        Directory.EnumerateDirectories(path, "game-*").Order(StringComparer.Ordinal).Prepend(path);

    /// <summary>Whether a file of a match there is not whole.</summary>
    internal static bool HasPartial(string folder) =>
        OutputFolder.MatchFiles.Any(name => File.Exists(PartialFile.Of(Path.Combine(folder, name))));

    /// <summary>Whether a recording is not whole.</summary>
    internal static bool IsCut(string? recording) => recording is not null && File.Exists(PartialFile.Of(recording));

    /// <summary>Repairs what stands in the folders of a folder, and recordings right in it.</summary>
    internal void RepairIn(string parent)
    {
        if (!Directory.Exists(parent))
        {
            return;
        }

        try
        {
            foreach (var folder in Directory.EnumerateDirectories(parent))
            {
                RepairFolder(folder);
            }

            RepairFiles(parent, below: false, new HashSet<string>());
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // What cannot be looked into is not ours to repair.
        }
    }

    /// <summary>Repairs recordings that stand in a folder, and nobody writes any more.</summary>
    /// <param name="folder">Where.</param>
    /// <param name="below">Whether in the folders below it too.</param>
    /// <param name="but">Those that are about to be made anew.</param>
    internal void RepairFiles(string folder, bool below, IReadOnlySet<string> but)
    {
        var options = new EnumerationOptions { RecurseSubdirectories = below, AttributesToSkip = FileAttributes.ReparsePoint };
        foreach (var partial in Directory.Exists(folder)
            ? Directory.EnumerateFiles(folder, "*.mcap" + PartialFile.Suffix, options)
            : [])
        {
            if (!but.Contains(partial))
            {
                RepairFile(partial[..^PartialFile.Suffix.Length]);
            }
        }
    }

    /// <summary>Repairs a recording that somebody names, with the match's other files.</summary>
    /// <param name="partial">It, under the name that it has while it is not whole.</param>
    /// <returns>What it is called from now on.</returns>
    internal string RepairNamed(string partial)
    {
        var path = partial[..^PartialFile.Suffix.Length];
        var folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        RepairFolder(folder);
        if (Path.GetFileName(folder).StartsWith("game-", StringComparison.Ordinal)
            && Path.GetDirectoryName(folder) is { } series)
        {
            RepairFolder(series);
        }

        _recording.Repair(path, steps: null);
        return File.Exists(partial) ? partial : path;
    }

    /// <summary>Repairs a recording that nobody writes any more.</summary>
    internal void RepairFile(string path)
    {
        var folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        if (!Path.Exists(Path.Combine(folder, OutputFolder.ClaimName)))
        {
            _recording.Repair(path, steps: null);
        }
    }

    private void RepairFolder(string folder)
    {
        var claim = Path.Combine(folder, OutputFolder.ClaimName);
        if (!File.Exists(claim) || !OutputPath.IsOwnFile(claim))
        {
            return;
        }

        try
        {
            using var held = OutputFolder.TakeOver(folder);
            if (held is not null)
            {
                RepairHeld(folder, held.Recording);
            }
            else if (LockFile.Doubt(claim) is { } doubt && FoldersOf(folder).Any(HasPartial))
            {
                say($"{folder} is left as it is: {doubt}");
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            say($"{folder} was cut off and cannot be repaired: {error.Message}");
        }
    }

    private void RepairHeld(string folder, string? noted)
    {
        foreach (var one in FoldersOf(folder))
        {
            var recording = one == folder && noted is not null ? noted : Path.Combine(one, "match.mcap");
            _recording.Repair(recording, Path.Combine(one, "steps.csv"));
            foreach (var log in Logs)
            {
                KeepRows(Path.Combine(one, log));
            }

            File.Delete(PartialFile.Of(Path.Combine(one, "summary.json")));
        }
    }

    // Up to the last whole one.
    private static void KeepRows(string path)
    {
        var partial = PartialFile.Of(path);
        if (!OutputPath.IsOwnFile(partial))
        {
            return;
        }

        long at;
        using (var file = new FileStream(partial, FileMode.Open, FileAccess.ReadWrite))
        {
            at = file.Length;
            for (; at > 0; at--)
            {
                file.Position = at - 1;
                if (file.ReadByte() == '\n')
                {
                    break;
                }
            }

            file.SetLength(at);
        }

        if (at == 0)
        {
            File.Delete(partial);
        }
        else
        {
            PartialFile.Publish(path);
        }
    }
}
