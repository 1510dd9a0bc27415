namespace Sc2Bridge.Cli;

/// <summary>The running passes of a plan, and the outcomes of the ended passes. Thread-safe.</summary>
/// <param name="total">The number of passes.</param>
/// <param name="print">Prints a line for each pass that has ended. The function must return at once.</param>
internal sealed class RecordProgress(int total, Action<string> print)
{
    private readonly Lock _lock = new();
    private readonly List<ReplayRecorder> _running = [];
    private readonly List<RecordOutcome> _outcomes = [];

    /// <summary>The number of passes.</summary>
    internal int Total => total;

    /// <summary>The passes that run now.</summary>
    internal IReadOnlyList<ReplayRecorder> Running
    {
        get
        {
            lock (_lock)
            {
                return [.. _running];
            }
        }
    }

    /// <summary>The outcomes of the ended passes, in the order in which they ended.</summary>
    internal IReadOnlyList<RecordOutcome> Outcomes
    {
        get
        {
            lock (_lock)
            {
                return [.. _outcomes];
            }
        }
    }

    internal void AddRunning(ReplayRecorder recorder)
    {
        lock (_lock)
        {
            _running.Add(recorder);
        }
    }

    internal void AddOutcome(ReplayRecorder recorder, RecordOutcome outcome)
    {
        lock (_lock)
        {
            _running.Remove(recorder);
            _outcomes.Add(outcome);
            print($"{_outcomes.Count} of {total}: {outcome.ToLine()}");
        }
    }
}
