using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>A match's recording as a file, which has its name when it is whole.</summary>
internal sealed class MatchRecording : IDisposable
{
    private readonly string _path;
    private readonly bool _isPartial;
    private bool _isPublished;

    private MatchRecording(Hub hub, string path, Action<string> say, Action<string> fail)
    {
        (_path, _isPartial) = (path, PartialFile.IsFor(path));
        Recorder = new MatchRecorder(
            hub, Open(path, _isPartial), new RecorderOptions(), say,
            failure => fail(
                $"the recording {path} could not be written ({failure}): it ends at its last whole chunk"
                + (_isPartial ? ", and gets its name when the next match begins" : "")
                + "; make room or name another place with --recording"));
    }

    /// <summary>What writes it.</summary>
    internal MatchRecorder Recorder { get; }

    /// <summary>Begins to record, where that was asked for and can be.</summary>
    /// <param name="hub">The match's.</param>
    /// <param name="path">The file, made anew; null for none.</param>
    /// <param name="say">Gets lines for people.</param>
    /// <param name="fail">Gets one line when the file cannot be written any more.</param>
    /// <returns>Null where nothing is recorded.</returns>
    /// <exception cref="CommandException">The file cannot be made.</exception>
    internal static MatchRecording? Start(Hub hub, string? path, Action<string> say, Action<string> fail) =>
        path is null ? null : new MatchRecording(hub, path, say, fail);

    /// <summary>Closes the file. One that is whole gets its name; one of nothing goes, as no match came about.</summary>
    /// <returns>Why it cannot have it, where nobody was told that yet; null else.</returns>
    internal string? Publish()
    {
        Recorder.Dispose();
        if (_isPublished || !_isPartial)
        {
            return null;
        }

        _isPublished = true;
        try
        {
            if (new FileInfo(PartialFile.Of(_path)).Length == 0)
            {
                File.Delete(PartialFile.Of(_path));
            }
            else if (Recorder.Figures.Problem is null)
            {
                PartialFile.Publish(_path);
            }

            return null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return $"{_path} could not be written ({error.Message}): was its folder moved or deleted?";
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Publish();

    // Unbuffered: each chunk is the system's as soon as it is made. Made anew, so that no two write it.
    private static FileStream Open(string path, bool isPartial)
    {
        if (isPartial && File.Exists(path))
        {
            throw new CommandException($"{path} is there already: name another file with --recording, or delete it");
        }

        try
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
            return isPartial
                ? new FileStream(
                    PartialFile.Of(path), FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0)
                : new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        }
        catch (IOException taken) when (isPartial && File.Exists(PartialFile.Of(path)))
        {
            throw new CommandException(
                $"{PartialFile.Of(path)} is there already, written by another sc2bridge or left by one that was cut off: "
                + "name another file with --recording, or delete it",
                taken);
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
