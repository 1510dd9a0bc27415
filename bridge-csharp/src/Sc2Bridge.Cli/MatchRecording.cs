using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>A match's recording as a file.</summary>
internal static class MatchRecording
{
    /// <summary>Begins to record, where that was asked for and can be.</summary>
    /// <param name="hub">The match's.</param>
    /// <param name="path">The file, made anew; null for none.</param>
    /// <param name="say">Gets lines for people.</param>
    /// <param name="fail">Gets one line when the file cannot be written any more.</param>
    /// <returns>Null where nothing is recorded.</returns>
    /// <exception cref="CommandException">The file cannot be made.</exception>
    internal static MatchRecorder? Start(Hub hub, string? path, Action<string> say, Action<string> fail)
    {
        if (path is null)
        {
            return null;
        }

        return new MatchRecorder(
            hub, Open(path), new RecorderOptions(), say,
            failure => fail(
                $"the recording {path} could not be written ({failure}): it ends at its last whole chunk; make room or "
                + "name another place with --recording"));
    }

    /// <summary>Takes away a file in which there is nothing, as no match came about.</summary>
    /// <param name="path">Was <see cref="ResultFile.IsOurs">ours</see> before it was opened.</param>
    internal static void RemoveEmpty(string path)
    {
        try
        {
            if (new FileInfo(path).Length == 0)
            {
                File.Delete(path);
            }
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            // It is gone already, or may not be deleted.
        }
    }

    // Unbuffered: each chunk is the system's as soon as it is made.
    private static FileStream Open(string path)
    {
        try
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
            return new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"cannot write the recording {path} ({error.Message}): name another place with --recording, or give "
                + "--no-recording",
                error);
        }
    }
}
