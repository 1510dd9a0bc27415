using System.Globalization;
using Sc2Bridge.Recordings;

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

    // A longer recording has had a whole chunk.
    private const long LongestWithoutChunk = 8 << 20;

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

        Repair(path, steps: null);
        return File.Exists(partial) ? partial : path;
    }

    /// <summary>Repairs a recording that nobody writes any more.</summary>
    internal void RepairFile(string path)
    {
        var folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        if (!Path.Exists(Path.Combine(folder, OutputFolder.ClaimName)))
        {
            Repair(path, steps: null);
        }
    }

    // A file of this user's, and no link: what others put there leads to nothing of ours.
    private static bool IsOurs(string path)
    {
        try
        {
            if (new FileInfo(path) is not { Exists: true, LinkTarget: null })
            {
                return false;
            }

            if (!OperatingSystem.IsWindows())
            {
                // Allowed to a file's owner only.
                File.SetUnixFileMode(path, File.GetUnixFileMode(path));
            }

            return true;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private void RepairFolder(string folder)
    {
        var claim = Path.Combine(folder, OutputFolder.ClaimName);
        if (!File.Exists(claim) || !IsOurs(claim))
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
            Repair(recording, Path.Combine(one, "steps.csv"));
            foreach (var log in Logs)
            {
                KeepRows(Path.Combine(one, log));
            }

            File.Delete(PartialFile.Of(Path.Combine(one, "summary.json")));
        }
    }

    // Also deletes the lock of a process that was killed after it gave the recording its name.
    private void Repair(string path, string? steps)
    {
        var partial = PartialFile.Of(path);
        if (File.Exists(partial) ? IsOurs(partial) && BeginsAsRecording(partial) : IsOurs(LockFile.Of(path)))
        {
            using var held = TryLock(path);
            if (held is not null && File.Exists(partial))
            {
                RepairLocked(path, partial, steps);
            }
        }
    }

    // A folder that cannot be written to is not repaired.
    private static LockFile? TryLock(string path)
    {
        try
        {
            return LockFile.TryAcquire(LockFile.Of(path));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private void RepairLocked(string path, string partial, string? steps)
    {
        if (new FileInfo(path) is { Exists: true, Length: > 0 })
        {
            // It has its name already: the process was killed right after that.
            File.Delete(partial);
            return;
        }

        var seen = steps is null ? null : CountRows(steps);
        long kept;
        try
        {
            using var cut = RecordingReader.Open(partial);
            kept = cut.Perspectives.Sum(cut.Count);
        }
        catch (RecordingException damage) when (new FileInfo(partial).Length > LongestWithoutChunk)
        {
            say($"{path} was cut off and cannot be repaired: {damage.Message}");
            return;
        }
        catch (RecordingException)
        {
            // Nothing of it was written whole: of a match that had just begun.
            File.Delete(partial);
            if (seen > 0)
            {
                say($"{path} was cut off before its first chunk: 0 steps kept, {seen} lost");
            }

            return;
        }

        try
        {
            // One may be left of a repair that was killed.
            var target = path + ".repaired";
            File.Delete(target);
            RecordingRepair.Repair(partial, target, CancellationToken.None);
            PartialFile.Publish(target, path);
            File.Delete(partial);
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            say($"{path} was cut off and cannot be repaired: {error.Message}");
            return;
        }

        var lost = seen is { } all
            ? string.Create(CultureInfo.InvariantCulture, $"{Math.Max(0, all - kept)} lost")
            : "those of its last two seconds may be lost";
        say(string.Create(CultureInfo.InvariantCulture, $"{path} was cut off, and is repaired: {kept} steps kept, {lost}"));
    }

    // Other programs name their files so, too: a recording of the bridge's tells so in its first record.
    private static bool BeginsAsRecording(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        Span<byte> begin = stackalloc byte[256];
        begin = begin[..file.ReadAtLeast(begin, begin.Length, throwOnEndOfStream: false)];
        return begin.IsEmpty || begin.IndexOf("sc2bridge"u8) >= 0;
    }

    // Steps that were observed; null where that is not known.
    private static long? CountRows(string steps)
    {
        var path = File.Exists(PartialFile.Of(steps)) ? PartialFile.Of(steps) : steps;

        // A row of a step that was skipped has empty cells.
        return File.Exists(path)
            ? File.ReadLines(path).Skip(1).LongCount(row => row.Split(',') is [_, { Length: > 0 }, ..])
            : null;
    }

    // Up to the last whole one.
    private static void KeepRows(string path)
    {
        var partial = PartialFile.Of(path);
        if (!IsOurs(partial))
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
