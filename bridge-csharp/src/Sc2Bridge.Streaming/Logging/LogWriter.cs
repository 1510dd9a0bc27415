using System.Collections.Concurrent;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a log's lines on a thread of its own, so that a stalled disk delays no caller. Each line is flushed to the
/// system as it is written: the log is complete up to its last line however the process ends. After the first failure
/// nothing is written; lines that find no room, in the queue or on the disk, are counted as lost. Thread-safe.
/// </summary>
public sealed class LogWriter : IDisposable
{
    // A minute and a half of lines at 22.4 steps a second and four agents: about 1 MiB.
    private const int MostWaiting = 8192;

    // Memory of a line beside its characters.
    private const int LineOverhead = 64;

    private static readonly TimeSpan EndDeadline = TimeSpan.FromSeconds(5);

    private readonly BlockingCollection<string> _lines = new(MostWaiting);
    private readonly TextWriter _to;
    private readonly SidePath _path;
    private readonly MemoryLedger? _memory;
    private readonly Thread _thread;
    private volatile bool _stalled;
    private volatile bool _failed;

    /// <summary>Begins.</summary>
    /// <param name="to">Given from outside, and disposed there after this.</param>
    /// <param name="path">Its name is the file's; told of the first failure, and of what is lost.</param>
    /// <param name="memory">Charged with the lines that wait; null: nothing is.</param>
    public LogWriter(TextWriter to, SidePath path, MemoryLedger? memory = null)
    {
        ArgumentNullException.ThrowIfNull(to);
        ArgumentNullException.ThrowIfNull(path);
        (_to, _path, _memory) = (to, path, memory);
        _thread = new Thread(Run) { IsBackground = true, Name = $"{path.Name} writer" };
        _thread.Start();
    }

    /// <summary>Hands a line over, line end included.</summary>
    /// <param name="line">The line.</param>
    /// <param name="longest">
    /// How long to wait for room, where too many wait; not again before there is some.
    /// </param>
    public void Write(string line, TimeSpan longest = default)
    {
        Count(line, 1);
        try
        {
            if (_lines.TryAdd(line, _stalled ? TimeSpan.Zero : longest))
            {
                _stalled = false;
                return;
            }
        }
        catch (InvalidOperationException)
        {
            // Closed: a line that comes too late is lost.
        }

        Count(line, -1);
        _stalled = true;
        _path.Lose(1, $"{_path.Name} lacks lines: the disk takes them too slowly; choose another output folder");
    }

    /// <summary>Writes what waits, and ends.</summary>
    public void Dispose()
    {
        _lines.CompleteAdding();
        if (!_thread.Join(EndDeadline))
        {
            _failed = true;
            _path.Lose(
                _lines.Count, $"{_path.Name} lacks its last lines: the disk took nothing for {EndDeadline.TotalSeconds} s");
        }
    }

    private void Count(string line, int lines) =>
        _memory?.Add(MemoryAccount.Log, lines * (LineOverhead + (long)(line.Length * sizeof(char))));

    private void Run()
    {
        foreach (var line in _lines.GetConsumingEnumerable())
        {
            Count(line, -1);
            if (_failed)
            {
                _path.Lose(1, "no line after one that could not be written");
                continue;
            }

            try
            {
                _to.Write(line);
                _to.Flush();
            }
#pragma warning disable CA1031 // Whatever writing throws, the match goes on.
            catch (Exception failure)
#pragma warning restore CA1031
            {
                _failed = true;
                _path.Lose(
                    1,
                    $"{_path.Name} could not be written ({failure.Message}): it ends here; make room or choose another "
                    + "output folder",
                    failure);
            }
        }
    }
}
