using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Analysis;

namespace Sc2Bridge.Cli;

/// <summary>Stores the analysis of a match in its recording, so that all readers find the same analysis.</summary>
internal static class KeptAnalysis
{
    /// <summary>Reads the analysis. If the recording has none, makes it and adds it.</summary>
    /// <param name="path">The recording.</param>
    /// <param name="isWhole">Whether the recording is complete and undamaged. Otherwise, nothing is added.</param>
    /// <param name="print">Prints a line if the analysis is new.</param>
    /// <param name="ct">Cancels the analysis.</param>
    /// <exception cref="RecordingException">The recording cannot be analysed.</exception>
    internal static MatchAnalysis ReadOrAdd(string path, bool isWhole, Action<string> print, CancellationToken ct)
    {
        var version = VersionOf(path);
        using var recording = RecordingReader.Open(path);
        if (RecordingAnalysis.Read(recording) is { } kept)
        {
            return kept;
        }

        var analysis = RecordingAnalysis.Analyse(recording, ct);
        var problem = isWhole ? WhyNotAdded(path) : "it is not whole";
        try
        {
            problem ??= Replace(path, version, recording, analysis, ct);
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            problem = error.Message;
        }

        print(problem is null ? $"{path}: its analysis was added to it" : $"{path}: its analysis is not added to it: {problem}");
        return analysis;
    }

    /// <summary>Replaces a recording, in one step, by a copy that has the analysis.</summary>
    /// <param name="path">The recording.</param>
    /// <param name="version">The size and the last write time of the file before it was opened.</param>
    /// <param name="recording">The open recording. This method closes it.</param>
    /// <param name="analysis">The analysis.</param>
    /// <param name="ct">Cancels the analysis.</param>
    /// <returns>Why the recording was not replaced; null if it was replaced.</returns>
    internal static string? Replace(
        string path, (long Length, DateTime Written) version, RecordingReader recording, MatchAnalysis analysis, CancellationToken ct)
    {
        // If an earlier process was killed here, its unfinished copy still exists.
        new CutRecordingRepair(_ => { }).Repair(path, steps: null);
        using var lockFile = LockFile.Acquire(path);
        var copy = PartialFile.PathFor(path);
        RecordingAnalysis.Copy(recording, copy, analysis, ct);
        try
        {
            // Windows does not replace a file that is open.
            recording.Dispose();
            if (VersionOf(path) != version)
            {
                return "it was changed meanwhile";
            }

            if (!OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(copy, File.GetUnixFileMode(path));
            }

            PartialFile.Commit(path);
            return null;
        }
        finally
        {
            File.Delete(copy);
        }
    }

    private static (long Length, DateTime Written) VersionOf(string path) =>
        new FileInfo(path) is { Exists: true } file ? (file.Length, file.LastWriteTimeUtc) : default;

    private static string? WhyNotAdded(string path) =>
        path.EndsWith(PartialFile.Suffix, StringComparison.Ordinal) ? "it is not complete"
        : !OutputPath.IsOwnFile(path) ? "it is a link, or another user's file"
        : new FileInfo(path).IsReadOnly ? "it is read-only"
        : null;
}
