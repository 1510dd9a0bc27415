using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>
/// A folder for the files of a match or a series. A lock file ensures that only one process at a time writes there. After a
/// crash, the lock is stale, and the next process repairs the files.
/// </summary>
internal sealed class OutputFolder : IDisposable
{
    /// <summary>The name of the lock file. If the recording is outside of the folder, the lock file contains its path.</summary>
    internal const string LockName = ".sc2bridge";

    /// <summary>The name of the file with the servers' certificate, for clients.</summary>
    internal const string CertificateName = "bridge.pem";

    private const string RecordingNote = "recording";
    private const string PostMortemName = "post-mortem";

    private const int MaxNumber = 10_000;

    private readonly LockFile _claim;
    private readonly IReadOnlyList<string> _createdFolders;
    private string? _recording;

    private OutputFolder(string path, LockFile claim, IReadOnlyList<string>? made = null) => (Path, _claim, _createdFolders) = (path, claim, made ?? []);

    /// <summary>The folder's path.</summary>
    internal string Path { get; }

    /// <summary>The names of a match's files in the folder.</summary>
    internal static IReadOnlyList<string> MatchFiles { get; } = ["match.mcap", "steps.csv", "agents.csv", "summary.json"];

    /// <summary>Claims a folder. Creates it if it is missing.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="numbered">Whether to try <c>PATH-2</c>, <c>PATH-3</c> … if the folder is in use, or contains an earlier match or a link.</param>
    /// <exception cref="CommandException">The folder is in use, contains an earlier match or a link, or cannot be written to.</exception>
    internal static OutputFolder Claim(string path, bool numbered)
    {
        path = System.IO.Path.TrimEndingDirectorySeparator(path);
        for (var number = 1; ; number++)
        {
            var candidate = number == 1 ? path : string.Create(CultureInfo.InvariantCulture, $"{path}-{number}");
            try
            {
                return TryClaim(candidate);
            }
            catch (CommandException taken) when (numbered && number < MaxNumber && taken.InnerException is null)
            {
                // Try the next number.
            }
        }
    }

    /// <summary>Takes over the folder of a process that has ended.</summary>
    /// <returns>Null if another process writes into the folder or repairs it.</returns>
    internal static OutputFolder? TakeOver(string path)
    {
        var claim = System.IO.Path.Combine(path, LockName);
        var recording = LockFile.ReadNote(claim, RecordingNote);
        var postMortem = PostMortemNote.Parse(LockFile.ReadNote(claim, PostMortemName));
        if (LockFile.TryAcquire(claim) is not { } held)
        {
            return null;
        }

        var folder = new OutputFolder(path, held);
        folder.NoteRecording(recording);
        folder.NotePostMortem(postMortem);
        return folder;
    }

    /// <summary>The noted path of a recording outside of the folder; null if none was noted.</summary>
    internal string? Recording => _recording;

    /// <summary>Notes the path of a recording outside of the folder, so that the recording can be repaired after a crash.</summary>
    internal void NoteRecording(string? recording)
    {
        if (recording is null)
        {
            return;
        }

        _recording = System.IO.Path.GetFullPath(recording);
        try
        {
            _claim.WriteNote(RecordingNote, _recording);
        }
        catch (IOException)
        {
            // The disk is full, so the recording will be empty too, and needs no repair.
        }
    }

    /// <summary>The post-mortem that the match of the process that wrote into this folder leaves.</summary>
    internal PostMortemNote PostMortem { get; private set; } = PostMortemNote.Parse(null);

    /// <summary>Notes which post-mortem the match leaves, so that the next process can write it after a crash.</summary>
    internal void NotePostMortem(PostMortemNote note)
    {
        PostMortem = note;
        try
        {
            _claim.WriteNote(PostMortemName, $"{note}");
        }
        catch (IOException)
        {
            // The disk is full, so there is no room for a post-mortem either.
        }
    }

    /// <summary>
    /// Notes that the session has ended and was not killed. If files stay incomplete, for example because the disk is full, the next process
    /// only repairs them.
    /// </summary>
    internal void NoteEnd()
    {
        PostMortem = PostMortemNote.Parse(null);
        try
        {
            _claim.ReplaceNote(PostMortemName, $"{PostMortem.Mode}");
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            // The folder was deleted, or its permissions have changed.
        }
    }

    /// <summary>The error for a folder that cannot be written to.</summary>
    internal static CommandException NotWritable(string folder, Exception error) => new(
        $"cannot write to the output folder {folder} ({error.Message}): name another folder with --out", error);

    /// <summary>
    /// Releases the folder after a match that could not be started. Deletes the folder, and its parent folders, if <see cref="Claim"/>
    /// created them.
    /// </summary>
    internal void Discard()
    {
        try
        {
            // The files are deleted before the lock is released. After the release, files in the folder may belong to another process.
            foreach (var entry in _createdFolders.Count == 0 ? [] : new DirectoryInfo(_createdFolders[0]).GetFileSystemInfos())
            {
                if (entry is DirectoryInfo { LinkTarget: null } folder)
                {
                    folder.Delete(recursive: true);
                }
                else if (entry.Name != LockName)
                {
                    entry.Delete();
                }
            }

            _claim.Dispose();
            foreach (var folder in _createdFolders)
            {
                Directory.Delete(folder);
            }
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // Another process has created a file in the folder.
        }
    }

    /// <summary>Releases the folder. The lock file stays if a file is incomplete, so that the next process repairs it.</summary>
    public void Dispose()
    {
        try
        {
            if (OutputRepair.FoldersOf(Path).Any(OutputRepair.HasPartial) || OutputRepair.IsCut(_recording))
            {
                _claim.KeepFile();
            }
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            // The folder was deleted. That was reported before.
        }

        _claim.Dispose();
    }

    // An exception without an inner exception means: this folder is in use, or contains an earlier match or a link. Another folder may work.
    private static OutputFolder TryClaim(string path)
    {
        LockFile? claim = null;
        try
        {
            List<string> made = [];
            for (var above = System.IO.Path.GetFullPath(path); above is not null && !Directory.Exists(above); above = System.IO.Path.GetDirectoryName(above))
            {
                made.Add(above);
            }

            Directory.CreateDirectory(path);
            var file = System.IO.Path.Combine(path, LockName);

            // A stale lock file is not taken over here, because a stale lock file marks files that could not be repaired.
            claim = System.IO.Path.Exists(file) ? null : LockFile.TryAcquire(file);
            if (claim is null)
            {
                throw new CommandException(
                    $"another sc2bridge writes to {path}, or ended there and left incomplete files that could not be repaired "
                    + $"({LockFile.DescribeOwner(file)}): name another folder with --out");
            }

            if (FindMatchFile(path) is { } earlier)
            {
                throw new CommandException(
                    $"{path} contains an earlier match ({earlier}): name another folder with --out, or delete it");
            }

            if (FindLink(path) is { } link)
            {
                throw new CommandException(
                    $"{System.IO.Path.Combine(path, link)} is a link, and nothing is written through links: name another folder "
                    + "with --out, or delete the link");
            }

            return new OutputFolder(path, claim, made);
        }
        catch (CommandException)
        {
            claim?.Dispose();
            throw;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            claim?.Dispose();
            throw NotWritable(path, error);
        }
    }

    // Files without data do not count. A start that failed leaves such files, and the user may use the folder again.
    private static string? FindMatchFile(string path) =>
        Directory.Exists(System.IO.Path.Combine(path, "game-001")) ? "game-001"
        : MatchFiles
            .SelectMany(name => new[] { name, PartialFile.PathFor(name) })
            .FirstOrDefault(name => HasData(System.IO.Path.Combine(path, name)));

    // Finds a link in place of an output file or of a folder of a game. Through such a link, a match would write to another place.
    private static string? FindLink(string path) =>
        MatchFiles.SelectMany(name => new[] { name, PartialFile.PathFor(name) }).Append(BridgeLog.FileName).Append(CertificateName)
            .Select(name => new FileInfo(System.IO.Path.Combine(path, name)))
            .Concat(new DirectoryInfo(path).EnumerateFileSystemInfos("game-*"))
            .FirstOrDefault(entry => OutputPath.LinkProblem(entry.FullName) is not null)?.Name;

    private static bool HasData(string path)
    {
        const int longestHeader = 4096;
        if (new FileInfo(path) is not { Exists: true, Length: > 0, LinkTarget: null })
        {
            return false;
        }

        if (!path.Contains(".csv", StringComparison.Ordinal))
        {
            return true;
        }

        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        Span<byte> begin = stackalloc byte[longestHeader];
        begin = begin[..file.ReadAtLeast(begin, begin.Length, throwOnEndOfStream: false)];
        return begin.IndexOf((byte)'\n') is >= 0 and var end && end + 1 < begin.Length;
    }
}
