using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Supervises work that the live path does not depend on: a log, a probe, a recorder, a console. Failures are contained
/// here, so the match continues. The first loss is reported; all losses are counted. Thread-safe.
/// </summary>
/// <param name="name">The name to show, such as a file's name or <c>console</c>.</param>
/// <param name="logger">Logs each failure with its stack trace; null for no log.</param>
/// <param name="report">
/// Gets the first loss as one line, for a person who can fix the cause. Without this callback, the first loss is logged as an error.
/// </param>
public sealed class SidePath(string name, ILogger? logger = null, Action<string>? report = null)
{
    private readonly ILogger _logger = logger ?? NullLogger.Instance;
    private long _lost;
    private string? _problem;

    /// <summary>The name to show.</summary>
    public string Name { get; } = name;

    /// <summary>The number of lost items (rows, measurements, lines).</summary>
    public long Lost => Interlocked.Read(ref _lost);

    /// <summary>Why the first item was lost; null if none was lost.</summary>
    public string? Problem => Volatile.Read(ref _problem);

    /// <summary>Runs a piece of work. An exception is counted as a loss and not rethrown.</summary>
    /// <returns>Whether the work succeeded.</returns>
    public bool Try<T>(T state, Action<T> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        try
        {
            work(state);
            return true;
        }
#pragma warning disable CA1031 // The purpose of this type is to contain every failure.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            ReportLoss(failure);
            return false;
        }
    }

    /// <summary>Counts an item that was lost because of an exception.</summary>
    public void ReportLoss(Exception failure)
    {
        ArgumentNullException.ThrowIfNull(failure);
        ReportLoss(1, failure.Message, failure);
    }

    /// <summary>Counts lost items.</summary>
    /// <param name="items">The number of lost items; 0 if the failure is known but its losses are counted later.</param>
    /// <param name="problem">The reason, as one line.</param>
    /// <param name="failure">The exception; null if none was thrown.</param>
    public void ReportLoss(long items, string problem, Exception? failure = null)
    {
        Interlocked.Add(ref _lost, items);
        if (Interlocked.CompareExchange(ref _problem, problem, null) is not null)
        {
            StreamingLog.LostMore(_logger, Name, problem, failure);
        }
        else if (report is null)
        {
            StreamingLog.LostFirst(_logger, LogLevel.Error, Name, problem, failure);
        }
        else
        {
            // The callback reports the loss, so the log entry need not be an error.
            StreamingLog.LostFirst(_logger, LogLevel.Information, Name, problem, failure);
            report(problem);
        }
    }
}
