using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>The recording of a match, and its file. A complete file gets its final name.</summary>
internal sealed class MatchRecording : IDisposable
{
    private readonly string _path;
    private readonly PartialFile? _partial;
    private bool _isCommitted;

    private MatchRecording(Hub hub, string path, Action<string> print, Action<string> onFailed)
    {
        _path = path;
        _partial = OutputPath.IsDevice(path) ? null : Create(path);
        Recorder = new MatchRecorder(
            hub, _partial?.Stream ?? OutputPath.OpenReplacement(path), new RecorderOptions(), print,
            failure => onFailed(
                $"the recording {path} could not be written ({failure}): it ends with its last complete chunk"
                + (_partial is null ? "" : $". It is now {PartialFile.PathFor(path)}; when the next match begins, it gets its final name")
                + ". Make room, or name another file with --recording"));
    }

    /// <summary>The recorder that writes the file.</summary>
    internal MatchRecorder Recorder { get; }

    /// <summary>The path of the recording after the match has ended.</summary>
    internal string File => _partial is not null && Recorder.Figures.Problem is not null
        && new FileInfo(PartialFile.PathFor(_path)) is { Exists: true, Length: > 0 } ? PartialFile.PathFor(_path) : _path;

    /// <summary>Starts to record, if a file was requested and can be created.</summary>
    /// <param name="hub">The hub of the match.</param>
    /// <param name="path">The file, which is created; an empty file is replaced. Null to record nothing.</param>
    /// <param name="print">Prints a line.</param>
    /// <param name="onFailed">Called with one line if the file cannot be written.</param>
    /// <returns>Null if nothing is recorded.</returns>
    /// <exception cref="CommandException">The file cannot be created.</exception>
    internal static MatchRecording? Start(Hub hub, string? path, Action<string> print, Action<string> onFailed)
    {
        try
        {
            return path is null ? null : new MatchRecording(hub, path, print, onFailed);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"cannot write the recording {path} ({error.Message}): name another file with --recording, or add "
                + "--no-recording",
                error);
        }
    }

    /// <summary>Closes the file. A complete file gets its final name. An empty file is deleted, because the match did not begin.</summary>
    /// <returns>Why the file could not be completed; null if it was completed, or if an earlier error was reported.</returns>
    internal string? Commit()
    {
        Recorder.Dispose();
        if (_isCommitted || _partial is null)
        {
            return null;
        }

        _isCommitted = true;
        using (_partial)
        {
            try
            {
                if (new FileInfo(PartialFile.PathFor(_path)).Length == 0)
                {
                    _partial.Delete();
                }
                else if (Recorder.Figures.Problem is null)
                {
                    _partial.Commit();
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
    public void Dispose() => Commit();

    private static PartialFile Create(string path)
    {
        if (new FileInfo(path) is { Exists: true, Length: > 0 })
        {
            throw new CommandException($"{path} already exists: name another file with --recording, or delete it");
        }

        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        try
        {
            return PartialFile.Create(path, replaces: false);
        }
        catch (IOException taken) when (System.IO.File.Exists(PartialFile.PathFor(path)))
        {
            throw new CommandException(
                $"{PartialFile.PathFor(path)} already exists ({taken.Message}): name another file with --recording, or delete it",
                taken);
        }
    }
}
