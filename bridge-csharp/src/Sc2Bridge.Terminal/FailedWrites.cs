namespace Sc2Bridge.Terminal;

/// <summary>
/// Files that could not be written. A full disk fails every one of a match's: the first says why, and the others are
/// named behind it, so that it is one line. Thread-safe.
/// </summary>
public sealed class FailedWrites
{
    private readonly Lock _lock = new();
    private readonly List<string> _files = [];
    private string? _first;

    /// <summary>The line; null where all were written.</summary>
    public string? Line
    {
        get
        {
            lock (_lock)
            {
                return _files.Count < 2
                    ? _first
                    : $"{_first}. Could not be written either: {string.Join(", ", _files.Skip(1))}";
            }
        }
    }

    /// <summary>A file could not be written, or no further. Each file is named once.</summary>
    /// <param name="file">Its name.</param>
    /// <param name="problem">A line that says so, why, and what to do.</param>
    public void Add(string file, string problem)
    {
        lock (_lock)
        {
            _first ??= problem;
            if (!_files.Contains(file))
            {
                _files.Add(file);
            }
        }
    }

    /// <summary>Writes a report, whole or not at all.</summary>
    /// <param name="report">Its text.</param>
    /// <param name="path">Where.</param>
    public void Write(string report, string path)
    {
        try
        {
            ResultFile.WriteWhole(path, report);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            Add(path, $"{path} could not be written ({error.Message}): make room or choose another place");
        }
    }
}
