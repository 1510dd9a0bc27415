using System.Globalization;
using System.Text;

namespace Sc2Bridge.Cli;

/// <summary>
/// A folder that one process at a time writes a match or a series into. It holds a file in it open, which the system
/// unlocks when the process is gone, however it went; found unlocked, that tells of output that was cut.
/// </summary>
internal sealed class OutputFolder : IDisposable
{
    /// <summary>The file that is held; it holds a word, and the path of a recording that goes elsewhere.</summary>
    internal const string ClaimName = ".sc2bridge";

    /// <summary>The servers' certificate, for clients.</summary>
    internal const string CertificateName = "bridge.pem";

    // Others call their files so, too.
    private const string ClaimWord = "sc2bridge\n";

    private const int LongestClaim = 8192;

    private const int MostNumber = 10_000;

    private readonly FileStream _claim;

    private OutputFolder(string path, FileStream claim) => (Path, _claim) = (path, claim);

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

    /// <summary>Notes where the recording goes, which may be elsewhere: who repairs it finds it so.</summary>
    internal void Note(string? recording)
    {
        if (recording is not null)
        {
            Write(_claim, System.IO.Path.GetFullPath(recording));
        }
    }

    /// <summary>Whether a file of a claim's name is one, and the recording that it notes; null where it notes none.</summary>
    internal static bool IsClaim(FileStream file, out string? recording)
    {
        recording = null;
        if (file.Length > LongestClaim)
        {
            return false;
        }

        file.Position = 0;
        using var reader = new StreamReader(file, Encoding.UTF8, leaveOpen: true);
        var text = reader.ReadToEnd();
        recording = text.Length > ClaimWord.Length ? text[ClaimWord.Length..] : null;

        // On a full disk there was no room for a word, but for a file of a match.
        return text.Length == 0
            ? CutOutput.FoldersOf(System.IO.Path.GetDirectoryName(file.Name)!).Any(CutOutput.HasPartial)
            : text.StartsWith(ClaimWord, StringComparison.Ordinal);
    }

    /// <summary>Says that a folder cannot be written to.</summary>
    internal static CommandException NotWritable(string folder, Exception error) => new(
        $"cannot write to the output folder {folder} ({error.Message}): name another with --out", error);

    /// <summary>Gives it up. What tells that something was cut stays where something was.</summary>
    public void Dispose()
    {
        try
        {
            _ = IsClaim(_claim, out var recording);
            if (!CutOutput.FoldersOf(Path).Any(CutOutput.HasPartial) && !CutOutput.IsCut(recording))
            {
                File.Delete(System.IO.Path.Combine(Path, ClaimName));
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
        FileStream? claim = null;
        try
        {
            Directory.CreateDirectory(path);
            var file = System.IO.Path.Combine(path, ClaimName);
            try
            {
                claim = new FileStream(file, FileMode.CreateNew, FileAccess.ReadWrite, PartialFile.Alone, bufferSize: 0);
            }
            catch (IOException) when (File.Exists(file))
            {
                throw new CommandException(
                    $"another sc2bridge writes to {path}, or was cut off there and could not be repaired: name another "
                    + "folder with --out");
            }

            if (FirstOfMatch(path) is { } earlier)
            {
                File.Delete(file);
                throw new CommandException(
                    $"{path} holds an earlier match ({earlier}): name another folder with --out, or delete it");
            }

            if (FirstLink(path) is { } link)
            {
                File.Delete(file);
                throw new CommandException(
                    $"{System.IO.Path.Combine(path, link)} is a link, through which nothing is written: name another folder "
                    + "with --out, or delete it");
            }

            Write(claim, ClaimWord);
            return new OutputFolder(path, claim);
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
            .FirstOrDefault(entry => entry.LinkTarget is not null && !PartialFile.LeadsToDevice(entry.FullName))?.Name;

    private static void Write(FileStream claim, string text)
    {
        try
        {
            claim.Write(Encoding.UTF8.GetBytes(text));
        }
        catch (IOException)
        {
            // No room for a word: then there is none for a recording either.
        }
    }

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
