using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>
/// A folder that one process at a time writes a match or a series into. A lock file says so. After a crash the lock is
/// stale, which tells the next process that files are to be repaired.
/// </summary>
internal sealed class OutputFolder : IDisposable
{
    /// <summary>The lock file, which notes the path of a recording that goes elsewhere.</summary>
    internal const string ClaimName = ".sc2bridge";

    /// <summary>The servers' certificate, for clients.</summary>
    internal const string CertificateName = "bridge.pem";

    private const string RecordingNote = "recording";

    private const int MostNumber = 10_000;

    private readonly LockFile _claim;
    private readonly IReadOnlyList<string> _made;
    private string? _recording;

    private OutputFolder(string path, LockFile claim, IReadOnlyList<string>? made = null) => (Path, _claim, _made) = (path, claim, made ?? []);

    /// <summary>Where it is.</summary>
    internal string Path { get; }

    /// <summary>The files of a match there.</summary>
    internal static IReadOnlyList<string> MatchFiles { get; } = ["match.mcap", "steps.csv", "agents.csv", "summary.json"];

    /// <summary>Claims a folder, made where it is missing.</summary>
    /// <param name="path">Where.</param>
    /// <param name="numbered">Whether another is taken where this one is: <c>PATH-2</c>, <c>PATH-3</c> …</param>
    /// <exception cref="CommandException">It is taken, or cannot be written to.</exception>
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
            catch (CommandException taken) when (numbered && number < MostNumber && taken.InnerException is null)
            {
                // The next one then.
            }
        }
    }

    /// <summary>Takes over the folder of a process that has ended.</summary>
    /// <returns>Null if another process writes into it, or repairs it.</returns>
    internal static OutputFolder? TakeOver(string path)
    {
        var claim = System.IO.Path.Combine(path, ClaimName);
        var recording = LockFile.NoteIn(claim, RecordingNote);
        if (LockFile.TryAcquire(claim) is not { } held)
        {
            return null;
        }

        var folder = new OutputFolder(path, held);
        folder.Note(recording);
        return folder;
    }

    /// <summary>The recording, if it goes elsewhere.</summary>
    internal string? Recording => _recording;

    /// <summary>Notes where the recording goes if it goes elsewhere, so that it can be repaired after a crash.</summary>
    internal void Note(string? recording)
    {
        if (recording is null)
        {
            return;
        }

        _recording = System.IO.Path.GetFullPath(recording);
        try
        {
            _claim.Note(RecordingNote, _recording);
        }
        catch (IOException)
        {
            // The disk is full: then the recording will be empty too.
        }
    }

    /// <summary>Says that a folder cannot be written to.</summary>
    internal static CommandException NotWritable(string folder, Exception error) => new(
        $"cannot write to the output folder {folder} ({error.Message}): name another with --out", error);

    /// <summary>
    /// Releases it. If <see cref="Claim"/> made the folder, deletes it, and the folders above that <see cref="Claim"/> made. For a match
    /// that could not be started.
    /// </summary>
    internal void Discard()
    {
        try
        {
            // Before the lock is released: afterwards, files there may be another process's.
            foreach (var entry in _made.Count == 0 ? [] : new DirectoryInfo(_made[0]).GetFileSystemInfos())
            {
                if (entry is DirectoryInfo { LinkTarget: null } folder)
                {
                    folder.Delete(recursive: true);
                }
                else if (entry.Name != ClaimName)
                {
                    entry.Delete();
                }
            }

            _claim.Dispose();
            foreach (var folder in _made)
            {
                Directory.Delete(folder);
            }
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // Another process has put something there.
        }
    }

    /// <summary>Gives it up. What tells that something was cut stays where something was.</summary>
    public void Dispose()
    {
        try
        {
            if (CutOutput.FoldersOf(Path).Any(CutOutput.HasPartial) || CutOutput.IsCut(_recording))
            {
                _claim.Leave();
            }
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            // The folder is gone, which was told.
        }

        _claim.Dispose();
    }

    // A refusal without another error within: the folder is somebody's.
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
            var file = System.IO.Path.Combine(path, ClaimName);

            // A stale lock is not taken over here: it tells of files that could not be repaired.
            claim = System.IO.Path.Exists(file) ? null : LockFile.TryAcquire(file);
            if (claim is null)
            {
                throw new CommandException(
                    $"another sc2bridge writes to {path}, or was cut off there and could not be repaired "
                    + $"({LockFile.Describe(file)}): name another folder with --out");
            }

            if (FirstOfMatch(path) is { } earlier)
            {
                throw new CommandException(
                    $"{path} holds an earlier match ({earlier}): name another folder with --out, or delete it");
            }

            if (FirstLink(path) is { } link)
            {
                throw new CommandException(
                    $"{System.IO.Path.Combine(path, link)} is a link, and nothing is written through links: name another folder "
                    + "with --out, or delete it");
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

    // What a start that failed leaves is no match: it may be tried again.
    private static string? FirstOfMatch(string path) =>
        Directory.Exists(System.IO.Path.Combine(path, "game-001")) ? "game-001"
        : MatchFiles
            .SelectMany(name => new[] { name, PartialFile.Of(name) })
            .FirstOrDefault(name => HoldsMore(System.IO.Path.Combine(path, name)));

    // What others may have put there, so that a match is written elsewhere.
    private static string? FirstLink(string path) =>
        MatchFiles.SelectMany(name => new[] { name, PartialFile.Of(name) }).Append(BridgeLog.FileName).Append(CertificateName)
            .Select(name => new FileInfo(System.IO.Path.Combine(path, name)))
            .Concat(new DirectoryInfo(path).EnumerateFileSystemInfos("game-*"))
            .FirstOrDefault(entry => OutputPath.LinkProblem(entry.FullName) is not null)?.Name;

    private static bool HoldsMore(string path)
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
