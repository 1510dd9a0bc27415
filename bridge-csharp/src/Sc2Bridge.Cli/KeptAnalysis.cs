using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Analysis;

namespace Sc2Bridge.Cli;

/// <summary>The analysis of a recording. A new analysis is added to the recording, so that all readers find the same one.</summary>
internal static class KeptAnalysis
{
    /// <summary>Reads the analysis, or makes and adds it.</summary>
    /// <param name="path">The recording.</param>
    /// <param name="isWhole">Whether the recording is complete and undamaged: nothing is added to another one.</param>
    /// <param name="say">Gets a line if the analysis is new.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="RecordingException">The recording cannot be analysed.</exception>
    internal static MatchAnalysis Of(string path, bool isWhole, Action<string> say, CancellationToken ct)
    {
        var version = VersionOf(path);
        using var recording = RecordingReader.Open(path);
        if (RecordingAnalysis.Read(recording) is { } kept)
        {
            return kept;
        }

        var analysis = RecordingAnalysis.Make(recording, ct);
        var problem = isWhole ? Problem(path) : "it is not whole";
        try
        {
            problem ??= Replace(path, version, recording, analysis, ct);
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            problem = error.Message;
        }

        say(problem is null ? $"{path}: its analysis was added to it" : $"{path}: its analysis is not added to it: {problem}");
        return analysis;
    }

    /// <summary>Replaces a recording, in one step, by a copy that has the analysis.</summary>
    /// <param name="path">The recording.</param>
    /// <param name="version">Its size and time before it was opened.</param>
    /// <param name="recording">The same, open; closed.</param>
    /// <param name="analysis">The analysis.</param>
    /// <param name="ct">Gives up.</param>
    /// <returns>Why it was not replaced; null if it was.</returns>
    internal static string? Replace(
        string path, (long Length, DateTime Written) version, RecordingReader recording, MatchAnalysis analysis, CancellationToken ct)
    {
        // A copy may be left by a process that was killed.
        new CutRecording(_ => { }).Repair(path, steps: null);
        using var held = LockFile.Acquire(path);
        var copy = PartialFile.Of(path);
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

            PartialFile.Publish(path);
            return null;
        }
        finally
        {
            File.Delete(copy);
        }
    }

    private static (long Length, DateTime Written) VersionOf(string path) =>
        new FileInfo(path) is { Exists: true } file ? (file.Length, file.LastWriteTimeUtc) : default;

    private static string? Problem(string path) =>
        path.EndsWith(PartialFile.Suffix, StringComparison.Ordinal) ? "it is not complete"
        : !OutputPath.IsOwnFile(path) ? "it is a link, or another user's file"
        : new FileInfo(path).IsReadOnly ? "it is read-only"
        : null;
}
