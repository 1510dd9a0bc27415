namespace Sc2Bridge.Terminal;

/// <summary>
/// Collects files that could not be written, and reports them as one line. The line has the reason for the first file and the
/// names of the other files. Usually all files have the same reason, such as a full disk. Thread-safe.
/// </summary>
public sealed class FailedWrites
{
    private readonly Lock _lock = new();
    private readonly List<string> _files = [];
    private string? _firstProblem;

    /// <summary>The report as one line; null if all files were written.</summary>
    public string? Summary
    {
        get
        {
            lock (_lock)
            {
                return _files.Count < 2
                    ? _firstProblem
                    : $"{_firstProblem}. Could not be written either: {string.Join(", ", _files.Skip(1))}";
            }
        }
    }

    /// <summary>Adds a file that could not be written, or not completely. A file is reported once.</summary>
    /// <param name="file">The name of the file.</param>
    /// <param name="problem">The error, its reason and the remedy, as one line.</param>
    public void Add(string file, string problem)
    {
        lock (_lock)
        {
            _firstProblem ??= problem;
            if (!_files.Contains(file))
            {
                _files.Add(file);
            }
        }
    }

    /// <summary>Writes a report completely or not at all. If the report cannot be written, its file is added.</summary>
    /// <param name="report">The text of the report.</param>
    /// <param name="path">The file.</param>
    public void WriteReport(string report, string path)
    {
        try
        {
            ResultFile.WriteAtomically(path, report);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            Add(path, $"{path} could not be written ({error.Message}): make room or choose another folder");
        }
    }
}
