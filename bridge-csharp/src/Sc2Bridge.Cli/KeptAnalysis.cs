using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Analysis;

namespace Sc2Bridge.Cli;

/// <summary>The analysis of a recording. A new analysis is added to the recording, so that all readers find the same one.</summary>
internal static class KeptAnalysis
{
    /// <summary>Reads the analysis, or makes and adds it.</summary>
    /// <param name="path">The recording.</param>
    /// <param name="isWhole">Whether the recording is complete and undamaged: nothing is added to another one.</param>
    /// <param name="say">Gets a line if the analysis is new, or if a damaged recording cannot be analysed.</param>
    /// <param name="ct">Gives up.</param>
    /// <returns>Null if a damaged recording cannot be analysed.</returns>
    /// <exception cref="RecordingException">The recording is whole and cannot be analysed.</exception>
    internal static MatchAnalysis? Of(string path, bool isWhole, Action<string> say, CancellationToken ct)
    {
        try
        {
            using var recording = RecordingReader.Open(path);
            if (RecordingAnalysis.Read(recording) is { } kept)
            {
                return kept;
            }

            var analysis = RecordingAnalysis.Make(recording, ct);
            recording.Dispose();
            say(isWhole ? Keep(path, analysis, ct) : $"{path} is not whole: its analysis is not added to it");
            return analysis;
        }
        catch (RecordingException damage) when (!isWhole)
        {
            say($"no analysis: {damage.Message}");
            return null;
        }
    }

    // The new file replaces the recording in one step. A copy that is left by a crash is deleted by the next command that finds it.
    private static string Keep(string path, MatchAnalysis analysis, CancellationToken ct)
    {
        if (!OutputPath.IsOwnFile(path))
        {
            return $"{path} is a link, or another user's file: its analysis is not added to it";
        }

        try
        {
            using var held = LockFile.Acquire(path);
            var copy = PartialFile.Of(path);
            using (var recording = RecordingReader.Open(path))
            {
                RecordingAnalysis.Copy(recording, copy, analysis, ct);
            }

            if (!OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(copy, File.GetUnixFileMode(path));
            }

            PartialFile.Publish(path);
            return $"{path}: its analysis was added to it";
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            return $"{path}: its analysis is not added to it ({error.Message})";
        }
    }
}
