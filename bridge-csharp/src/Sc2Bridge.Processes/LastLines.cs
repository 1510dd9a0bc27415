namespace Sc2Bridge.Processes;

/// <summary>Keeps the newest lines of a program's output. Thread-safe.</summary>
/// <param name="maxLines">The maximum number of kept lines.</param>
public sealed class LastLines(int maxLines)
{
    /// <summary>The maximum number of characters of a line. The rest of a longer line is lost.</summary>
    public const int LongestLine = 1000;

    private readonly Queue<string> _lines = new();

    /// <summary>The kept lines, oldest first.</summary>
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

    /// <summary>The last line that is not blank; null if all kept lines are blank.</summary>
    public string? Last => Lines.LastOrDefault(line => !string.IsNullOrWhiteSpace(line))?.Trim();

    /// <summary>Adds a line.</summary>
    public void Add(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        lock (_lines)
        {
            if (_lines.Count == maxLines)
            {
                _lines.Dequeue();
            }

            _lines.Enqueue(line[..Math.Min(line.Length, LongestLine)]);
        }
    }
}
