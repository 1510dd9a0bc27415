using System.Collections;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Bench;

/// <summary>Steps of a recording, as its first perspective sees them.</summary>
internal sealed class RecordedSteps : IMeasuredMatch
{
    private readonly string _path;
    private readonly int _runs;
    private readonly int _runLength;
    private readonly int _all;
    private readonly CancellationToken _ct;

    /// <param name="path">The recording.</param>
    /// <param name="steps">How many are wanted; null for all.</param>
    /// <param name="longestRun">How many of them follow one another.</param>
    /// <param name="ct">Stops the reading.</param>
    /// <exception cref="RecordingException">It cannot be read.</exception>
    /// <exception cref="CommandException">It holds too little.</exception>
    internal RecordedSteps(string path, int? steps, int longestRun, CancellationToken ct)
    {
        (_path, _ct) = (path, ct);
        using var recording = RecordingReader.Open(path);
        var perspective = recording.Perspectives.Cast<uint?>().FirstOrDefault();
        _all = perspective is { } whose ? (int)Math.Min(recording.Count(whose), int.MaxValue) : 0;
        if (_all < 2)
        {
            throw new CommandException($"{path} has fewer than two observations: name a recording of a whole match");
        }

        var wanted = Math.Min(steps ?? _all, _all);
        (_runs, _runLength) = wanted == _all ? (1, _all)
            : (Math.Max(1, wanted / longestRun), Math.Min(wanted, longestRun));
        var map = recording.Description.MapName is { Length: > 0 } name ? $" on {name}" : "";
        Source = $"{Path.GetFileName(path)}, {(recording.Description.Simulated ? "simulated" : "recorded")}{map}";
    }

    /// <inheritdoc/>
    public int Count => _runs * _runLength;

    /// <inheritdoc/>
    public string Source { get; }

    /// <inheritdoc/>
    public string Describe() => (_runs, Count == _all) switch
    {
        (_, true) => $"all {_all:N0} steps",
        (1, _) => $"the first {_runLength} of {_all:N0} steps",
        _ => $"{_runs} runs of {_runLength} consecutive steps, spread evenly over {_all:N0}",
    };

    /// <inheritdoc/>
    public IEnumerator<MatchStep> GetEnumerator()
    {
        using var recording = RecordingReader.Open(_path);
        using var observations = recording.Observations(recording.Perspectives.First());
        for (var run = 0; run < _runs; run++)
        {
            var start = _runs == 1 ? 0 : (int)((long)(_all - _runLength) * run / (_runs - 1));
            observations.SeekIndex(start);
            for (var index = start; index < start + _runLength && observations.Next(out var observation); index++)
            {
                _ct.ThrowIfCancellationRequested();
                yield return new MatchStep(index, run, observation.Bytes.ToArray());
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
