using System.Collections.Concurrent;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a log's lines on a separate thread, so that a slow disk delays no caller. Each line is flushed to the operating
/// system when it is written. The log is therefore complete up to its last line even if the process is killed. After the first
/// failure nothing more is written. Lines that do not fit into the queue or onto the disk are counted as lost. Thread-safe.
/// </summary>
public sealed class LogWriter : IDisposable
{
    // The lines of a minute and a half at 22.4 steps a second and four agents: about 1 MiB.
    private const int MaxQueuedLines = 8192;

    // Memory of a line in bytes, without its characters.
    private const int LineOverhead = 64;

    private static readonly TimeSpan EndDeadline = TimeSpan.FromSeconds(5);

    private readonly BlockingCollection<string> _lines = new(MaxQueuedLines);
    private readonly TextWriter _to;
    private readonly SidePath _path;
    private readonly MemoryLedger? _memory;
    private readonly Thread _thread;
    private volatile bool _isStalled;
    private volatile bool _hasFailed;

    /// <summary>Starts the thread.</summary>
    /// <param name="to">The output. The caller disposes it after this object.</param>
    /// <param name="path">Has the file's name, reports the first failure, and counts lost lines.</param>
    /// <param name="memory">Counts the memory of the queued lines; null if this memory is not counted.</param>
    public LogWriter(TextWriter to, SidePath path, MemoryLedger? memory = null)
    {
        ArgumentNullException.ThrowIfNull(to);
        ArgumentNullException.ThrowIfNull(path);
        (_to, _path, _memory) = (to, path, memory);
        _thread = new Thread(Run) { IsBackground = true, Name = $"{path.Name} writer" };
        _thread.Start();
    }

    /// <summary>Queues a line.</summary>
    /// <param name="line">The line, with its line end.</param>
    /// <param name="maxWait">How long to wait if the queue is full. If the queue stays full, later calls return at once.</param>
    public void Write(string line, TimeSpan maxWait = default)
    {
        ChargeLines(line, 1);
        try
        {
            if (_lines.TryAdd(line, _isStalled ? TimeSpan.Zero : maxWait))
            {
                _isStalled = false;
                return;
            }
        }
        catch (InvalidOperationException)
        {
            // The log is closed, so the line is lost.
        }

        ChargeLines(line, -1);
        _isStalled = true;
        _path.ReportLoss(1, $"{_path.Name} lacks lines: the disk is too slow; choose another output folder");
    }

    /// <summary>Writes the queued lines, and stops.</summary>
    public void Dispose()
    {
        _lines.CompleteAdding();
        if (!_thread.Join(EndDeadline))
        {
            _hasFailed = true;
            _path.ReportLoss(
                _lines.Count, $"{_path.Name} lacks its last lines: the disk accepted no data for {EndDeadline.TotalSeconds} s");
        }
    }

    private void ChargeLines(string line, int lines) =>
        _memory?.Add(MemoryAccount.Log, lines * (LineOverhead + (long)(line.Length * sizeof(char))));

    private void Run()
    {
        foreach (var line in _lines.GetConsumingEnumerable())
        {
            ChargeLines(line, -1);
            if (_hasFailed)
            {
                _path.ReportLoss(1, "an earlier line could not be written");
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
                _hasFailed = true;
                _path.ReportLoss(
                    1,
                    $"{_path.Name} could not be written ({failure.Message}): it ends here; make room or choose another "
                    + "output folder",
                    failure);
            }
        }
    }
}
