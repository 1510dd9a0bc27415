namespace Sc2Bridge.Processes;

/// <summary>The last lines of an output, with a limit. Thread-safe.</summary>
/// <param name="count">How many lines are kept.</param>
public sealed class LastLines(int count)
{
    private const int LongestLine = 1000;

    private readonly Queue<string> _lines = new();

    /// <summary>The lines that are kept, in their order.</summary>
    public IReadOnlyList<string> Lines
    {
        get
        {
            lock (_lines)
            {
                return [.. _lines];
            }
        }
    }

    /// <summary>The last line that is not blank; null if all lines are blank.</summary>
    public string? Last => Lines.LastOrDefault(line => !string.IsNullOrWhiteSpace(line))?.Trim();

    /// <summary>Adds a line.</summary>
    public void Add(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        lock (_lines)
        {
            if (_lines.Count == count)
            {
                _lines.Dequeue();
            }

            _lines.Enqueue(line[..Math.Min(line.Length, LongestLine)]);
        }
    }
}
