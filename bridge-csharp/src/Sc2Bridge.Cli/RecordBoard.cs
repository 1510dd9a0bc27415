namespace Sc2Bridge.Cli;

/// <summary>How far the passes of a plan are. Thread-safe.</summary>
/// <param name="total">Passes in all.</param>
/// <param name="say">Gets a line for each that has ended; returns at once.</param>
internal sealed class RecordBoard(int total, Action<string> say)
{
    private readonly Lock _lock = new();
    private readonly List<ReplayRecorder> _running = [];
    private readonly List<RecordOutcome> _outcomes = [];

    /// <summary>Passes in all.</summary>
    internal int Total => total;

    /// <summary>Those that are made now.</summary>
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

    /// <summary>Those that have ended, in that order.</summary>
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

    internal void Begin(ReplayRecorder recorder)
    {
        lock (_lock)
        {
            _running.Add(recorder);
        }
    }

    internal void End(ReplayRecorder recorder, RecordOutcome outcome)
    {
        lock (_lock)
        {
            _running.Remove(recorder);
            _outcomes.Add(outcome);
            say($"{_outcomes.Count} of {total}: {outcome.Line()}");
        }
    }
}
