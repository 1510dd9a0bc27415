namespace Sc2Bridge.Cli;

/// <summary>
/// Repairs the files of a bridge that was killed, or whose disk was full. Each folder is repaired once. A repair that is
/// killed can be repeated: each file is renamed in one step, and the stale lock, which marks unfinished files, is deleted
/// last.
/// </summary>
/// <param name="print">Prints a line for each recording.</param>
internal sealed class OutputRepair(Action<string> print)
{
    private static readonly IReadOnlyList<string> Logs = ["steps.csv", "agents.csv"];
    private readonly CutRecordingRepair _recordingRepair = new(print);

    /// <summary>The folder of a match. For a series, also the folders of its games.</summary>
    internal static IEnumerable<string> FoldersOf(string path) =>
        Directory.EnumerateDirectories(path, "game-*").Order(StringComparer.Ordinal).Prepend(path);

    /// <summary>Whether a folder contains an incomplete file of a match.</summary>
    internal static bool HasPartial(string folder) =>
        OutputFolder.MatchFiles.Any(name => File.Exists(PartialFile.PathFor(Path.Combine(folder, name))));

    /// <summary>Whether a recording is incomplete.</summary>
    internal static bool IsCut(string? recording) => recording is not null && File.Exists(PartialFile.PathFor(recording));

    /// <summary>Repairs the subfolders of a folder, and the recordings directly in it.</summary>
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

            RepairFiles(parent, includesSubfolders: false, new HashSet<string>());
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // A folder that cannot be read is skipped.
        }
    }

    /// <summary>Repairs the recordings in a folder, except recordings that a process still writes.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="includesSubfolders">Whether to repair recordings in subfolders too.</param>
    /// <param name="skippedFiles">Partial files to skip, because they will be replaced.</param>
    internal void RepairFiles(string folder, bool includesSubfolders, IReadOnlySet<string> skippedFiles)
    {
        var options = new EnumerationOptions { RecurseSubdirectories = includesSubfolders, AttributesToSkip = FileAttributes.ReparsePoint };
        foreach (var partial in Directory.Exists(folder)
            ? Directory.EnumerateFiles(folder, "*.mcap" + PartialFile.Suffix, options)
            : [])
        {
            if (!skippedFiles.Contains(partial))
            {
                RepairFile(partial[..^PartialFile.Suffix.Length]);
            }
        }
    }

    /// <summary>Repairs a recording that the user names, and the other files of its match.</summary>
    /// <param name="partial">The recording's partial file.</param>
    /// <returns>The path after the repair.</returns>
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

        _recordingRepair.Repair(path, steps: null);
        return File.Exists(partial) ? partial : path;
    }

    /// <summary>Repairs a recording if no process writes it. Does nothing if its folder has a lock: <see cref="RepairIn"/> repairs that folder.</summary>
    internal void RepairFile(string path)
    {
        var folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        if (!Path.Exists(Path.Combine(folder, OutputFolder.LockName)))
        {
            _recordingRepair.Repair(path, steps: null);
        }
    }

    private void RepairFolder(string folder)
    {
        var claim = Path.Combine(folder, OutputFolder.LockName);
        if (!File.Exists(claim) || !OutputPath.IsOwnFile(claim))
        {
            return;
        }

        try
        {
            using var held = OutputFolder.TakeOver(folder);
            if (held is not null)
            {
                RepairLocked(folder, held);
            }
            else if (LockFile.DescribeIfUncertain(claim) is { } doubt && FoldersOf(folder).Any(HasPartial))
            {
                print($"{folder} is left as it is: {doubt}");
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            print($"{folder} was cut off and cannot be repaired: {error.Message}");
        }
    }

    private void RepairLocked(string folder, OutputFolder held)
    {
        var crash = CrashNote.ReadFrom(folder);
        foreach (var one in FoldersOf(folder))
        {
            var recording = one == folder && held.Recording is not null ? held.Recording : Path.Combine(one, "match.mcap");
            var hadMatch = HasPartial(one) || IsCut(recording);
            _recordingRepair.Repair(recording, Path.Combine(one, "steps.csv"));
            foreach (var log in Logs)
            {
                CommitWholeRows(Path.Combine(one, log));
            }

            File.Delete(PartialFile.PathFor(Path.Combine(one, "summary.json")));

            // An earlier repair may have been killed after it had renamed the files.
            hadMatch |= File.Exists(recording) || OutputFolder.MatchFiles.Any(name => File.Exists(Path.Combine(one, name)));
            if (hadMatch && held.PostMortem.Mode != PostMortemMode.Never)
            {
                KilledBridge.WritePostMortem(one, recording, Path.Combine(folder, BridgeLog.FileName), crash, held.PostMortem, print);
            }
        }

        KeptBundles.Apply(folder);
        CrashNote.DeleteFrom(folder);
    }

    // Keeps the rows up to the last complete row.
    private static void CommitWholeRows(string path)
    {
        var partial = PartialFile.PathFor(path);
        if (!OutputPath.IsOwnFile(partial))
        {
            return;
        }

        long length;
        using (var file = new FileStream(partial, FileMode.Open, FileAccess.ReadWrite))
        {
            length = file.Length;
            for (; length > 0; length--)
            {
                file.Position = length - 1;
                if (file.ReadByte() == '\n')
                {
                    break;
                }
            }

            file.SetLength(length);
        }

        if (length == 0)
        {
            File.Delete(partial);
        }
        else
        {
            PartialFile.Commit(path);
        }
    }
}
