namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Writes a log's lines, each flushed to the system as it is written, so that the log is complete up to its last line
/// however the process ends. The first failure is told once; after it nothing is written. Thread-safe.
/// </summary>
/// <param name="to">Given from outside, and disposed there.</param>
/// <param name="name">For the error: the file's name.</param>
/// <param name="failed">Gets one clear line.</param>
internal sealed class LogWriter(TextWriter to, string name, Action<string> failed)
{
    private readonly Lock _lock = new();
    private bool _failed;

    /// <summary>Writes with the given action and flushes.</summary>
    public void Write<T>(T row, Action<T, TextWriter> write)
    {
        string problem;
        lock (_lock)
        {
            if (_failed)
            {
                return;
            }

            try
            {
                write(row, to);
                to.Flush();
                return;
            }
            catch (Exception exception) when (exception is IOException or ObjectDisposedException
                or UnauthorizedAccessException)
            {
                _failed = true;
                problem = exception.Message;
            }
        }

        failed($"{name} could not be written ({problem}): it ends here; make room or choose another output folder");
    }
}
