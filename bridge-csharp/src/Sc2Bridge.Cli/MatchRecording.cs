using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>A match's recording as a file, which has its name when it is whole.</summary>
internal sealed class MatchRecording : IDisposable
{
    private readonly string _path;
    private readonly PartialFile? _partial;
    private bool _isPublished;

    private MatchRecording(Hub hub, string path, Action<string> say, Action<string> fail)
    {
        _path = path;
        _partial = OutputPath.IsDevice(path) ? null : Create(path);
        Recorder = new MatchRecorder(
            hub, _partial?.Stream ?? OutputPath.Replace(path), new RecorderOptions(), say,
            failure => fail(
                $"the recording {path} could not be written ({failure}): it ends at its last whole chunk"
                + (_partial is null ? "" : $" in {PartialFile.Of(path)}, and gets its name when the next match begins")
                + "; make room or name another place with --recording"));
    }

    /// <summary>What writes it.</summary>
    internal MatchRecorder Recorder { get; }

    /// <summary>The file that the recording is in once the match has ended.</summary>
    internal string File => _partial is not null && Recorder.Figures.Problem is not null
        && new FileInfo(PartialFile.Of(_path)) is { Exists: true, Length: > 0 } ? PartialFile.Of(_path) : _path;

    /// <summary>Begins to record, where that was asked for and can be.</summary>
    /// <param name="hub">The match's.</param>
    /// <param name="path">The file, made anew; null for none.</param>
    /// <param name="say">Gets lines for people.</param>
    /// <param name="fail">Gets one line when the file cannot be written any more.</param>
    /// <returns>Null where nothing is recorded.</returns>
    /// <exception cref="CommandException">The file cannot be made.</exception>
    internal static MatchRecording? Start(Hub hub, string? path, Action<string> say, Action<string> fail)
    {
        try
        {
            return path is null ? null : new MatchRecording(hub, path, say, fail);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"cannot write the recording {path} ({error.Message}): name another place with --recording, or give "
                + "--no-recording",
                error);
        }
    }

    /// <summary>Closes the file. A complete one gets its name. An empty one is deleted: the match did not begin.</summary>
    /// <returns>Why it cannot have its name, if that was not reported yet.</returns>
    internal string? Publish()
    {
        Recorder.Dispose();
        if (_isPublished || _partial is null)
        {
            return null;
        }

        _isPublished = true;
        using (_partial)
        {
            try
            {
                if (new FileInfo(PartialFile.Of(_path)).Length == 0)
                {
                    _partial.Delete();
                }
                else if (Recorder.Figures.Problem is null)
                {
                    _partial.Publish();
                }

                return null;
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException)
            {
                return $"{_path} could not be written ({error.Message}): was its folder moved or deleted?";
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Publish();

    private static PartialFile Create(string path)
    {
        if (new FileInfo(path) is { Exists: true, Length: > 0 })
        {
            throw new CommandException($"{path} is there already: name another file with --recording, or delete it");
        }

        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        try
        {
            return PartialFile.Create(path, replaces: false);
        }
        catch (IOException taken) when (System.IO.File.Exists(PartialFile.Of(path)))
        {
            throw new CommandException(
                $"{PartialFile.Of(path)} is there already ({taken.Message}): name another file with --recording, or delete it",
                taken);
        }
    }
}
