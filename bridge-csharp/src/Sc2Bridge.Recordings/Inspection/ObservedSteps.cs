using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>Finds the missing steps and the length of a match.</summary>
internal sealed class ObservedSteps
{
    // By perspective: the next expected step.
    private readonly Dictionary<uint, ulong> _nextSteps = [];
    private readonly List<GapRow> _missing = [];
    private long _count;
    private (ulong Step, uint Loop) _first = (ulong.MaxValue, 0);
    private (ulong Step, uint Loop) _last;
    private long _firstNs = long.MaxValue;
    private long _lastNs = long.MinValue;

    /// <summary>Whether there are more gaps than can be listed.</summary>
    public bool HasMoreGaps { get; private set; }

    /// <summary>Adds an observation. Observations of one perspective must be in order.</summary>
    public void Add(in RecordedObservation observation, uint gameLoop)
    {
        var (perspective, step) = (observation.Perspective, observation.Step);
        var next = _nextSteps.GetValueOrDefault(perspective);
        if (step > next && _missing.Count == McapLimits.Gaps)
        {
            HasMoreGaps = true;
        }
        else if (step > next)
        {
            _missing.Add(new GapRow(perspective, next, step - next, null));
        }

        _nextSteps[perspective] = Math.Max(next, step + 1);
        _count++;
        _first = step < _first.Step ? (step, gameLoop) : _first;
        _last = step >= _last.Step ? (step, gameLoop) : _last;
        _firstNs = Math.Min(_firstNs, observation.ObservedNs);
        _lastNs = Math.Max(_lastNs, observation.ObservedNs);
    }

    public LengthFacts Length(double loopsPerSecond) => _count == 0
        ? new LengthFacts(null, 0, 0, 0, 0, 0, 0, 0)
        : new LengthFacts(
            DateTimeOffset.UnixEpoch.AddTicks(_firstNs / 100),
            (_lastNs - _firstNs) / 1e9,
            _count,
            _first.Step,
            _last.Step,
            _first.Loop,
            _last.Loop,
            ((double)_last.Loop - _first.Loop) / loopsPerSecond);

    /// <summary>All gaps: the recorded gaps, and the missing steps that no recorded gap contains.</summary>
    /// <param name="recorded">The gaps that the recording contains.</param>
    public IReadOnlyList<GapRow> Gaps(IEnumerable<GapRow> recorded)
    {
        var rows = recorded.ToList();
        rows.AddRange(_missing.Where(missing => !rows.Exists(gap =>
            gap.Perspective == missing.Perspective && gap.FirstStep <= missing.FirstStep
            && gap.FirstStep + gap.Steps >= missing.FirstStep + missing.Steps)));
        return [.. rows.OrderBy(gap => (gap.FirstStep, gap.Perspective))];
    }
}
