using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Supervises what hangs off the live path: a log, a probe, a recorder, a console. Failures there are contained here,
/// so that the match goes on. The first loss is reported; all of them are counted. Thread-safe.
/// </summary>
/// <param name="name">What it is, for people: a file's name, <c>console</c> …</param>
/// <param name="logger">Gets each failure with its stack; null for none.</param>
/// <param name="told">
/// Gets the first loss as one line, for a person who can mend it. Where it is null, the first loss is logged as an error.
/// </param>
public sealed class SidePath(string name, ILogger? logger = null, Action<string>? told = null)
{
    private readonly ILogger _logger = logger ?? NullLogger.Instance;
    private long _lost;
    private string? _problem;

    /// <summary>What it is, for people.</summary>
    public string Name { get; } = name;

    /// <summary>How many of its items (rows, measurements, lines) were lost.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    /// <summary>Why the first of them was lost; null where none was.</summary>
    public string? Problem => Volatile.Read(ref _problem);

    /// <summary>Does a piece of the work. Whatever it throws is a loss, and thrown no further.</summary>
    /// <returns>Whether it was done.</returns>
    public bool Try<T>(T state, Action<T> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        try
        {
            work(state);
            return true;
        }
#pragma warning disable CA1031 // Containing every failure is what this type is for.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            Lose(failure);
            return false;
        }
    }

    /// <summary>An item was lost to a failure.</summary>
    public void Lose(Exception failure)
    {
        ArgumentNullException.ThrowIfNull(failure);
        Lose(1, failure.Message, failure);
    }

    /// <summary>Items were lost.</summary>
    /// <param name="items">How many; 0 where the failure is known and the loss is counted later.</param>
    /// <param name="problem">Why: one line.</param>
    /// <param name="failure">What was thrown; null where nothing was.</param>
    public void Lose(long items, string problem, Exception? failure = null)
    {
        Interlocked.Add(ref _lost, items);
        if (Interlocked.CompareExchange(ref _problem, problem, null) is not null)
        {
            StreamingLog.LostMore(_logger, Name, problem, failure);
        }
        else if (told is null)
        {
            StreamingLog.LostFirst(_logger, LogLevel.Error, Name, problem, failure);
        }
        else
        {
            // The caller's own report reaches the person.
            StreamingLog.LostFirst(_logger, LogLevel.Information, Name, problem, failure);
            told(problem);
        }
    }
}
