using System.Collections;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Bench;

/// <summary>One step of a match.</summary>
/// <param name="Index">Counts from 0 at the match's first observation.</param>
/// <param name="Run">Which run of consecutive steps it belongs to, from 0.</param>
/// <param name="Observation">The serialized <c>ResponseObservation</c>.</param>
internal readonly record struct MatchStep(int Index, int Run, byte[] Observation);

/// <summary>
/// Steps of a match that codecs are measured on: all of it, or runs of consecutive ones, spread evenly over it. Each
/// enumeration begins anew and gives the same bytes; nothing is kept.
/// </summary>
/// <param name="source">Which match, and whose.</param>
/// <param name="all">Steps of the whole match.</param>
/// <param name="runs">How many runs, from the match's first step to its last; 1 begins at the first.</param>
/// <param name="runLength">Steps in each.</param>
internal abstract class MeasuredMatch(string source, int all, int runs, int runLength) : IEnumerable<MatchStep>
{
    public int Count => runs * runLength;

    public string Source => source;

    public string Describe() => (runs, Count == all) switch
    {
        (_, true) => $"all {all:N0} steps",
        (1, _) => $"the first {runLength} of {all:N0} steps",
        _ => $"{runs} runs of {runLength} consecutive steps, spread evenly over {all:N0}",
    };

    public abstract IEnumerator<MatchStep> GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>The number of each step, and the run that it is in.</summary>
    protected IEnumerable<(int Index, int Run)> Places()
    {
        for (var run = 0; run < runs; run++)
        {
            var start = runs == 1 ? 0 : (int)((long)(all - runLength) * run / (runs - 1));
            for (var index = start; index < start + runLength; index++)
            {
                yield return (index, run);
            }
        }
    }
}

/// <summary>Steps of the default simulated match.</summary>
internal sealed class MatchSteps(int runs, int runLength, CancellationToken ct)
    : MeasuredMatch($"simulated, two Elites on {SimulatedMatch.Map}", SimulatedMatch.Length, runs, runLength)
{
    public static MatchSteps Whole(CancellationToken ct) => new(1, SimulatedMatch.Length, ct);

    public override IEnumerator<MatchStep> GetEnumerator()
    {
        var match = new SimulatedMatch();
        foreach (var (index, run) in Places())
        {
            ct.ThrowIfCancellationRequested();
            match.Play(index, ct);
            yield return new MatchStep(index, run, match.Observe());
        }
    }
}

/// <summary>Steps of a recording, as its first perspective sees them.</summary>
internal sealed class RecordedSteps : MeasuredMatch
{
    private readonly string _path;
    private readonly CancellationToken _ct;

    private RecordedSteps(string path, string source, int all, int runs, int runLength, CancellationToken ct)
        : base(source, all, runs, runLength) => (_path, _ct) = (path, ct);

    /// <summary>So many steps of a recording, in runs; null for all.</summary>
    public static RecordedSteps Open(string path, int? steps, int longestRun, CancellationToken ct)
    {
        using var recording = RecordingReader.Open(path);
        var perspective = recording.Perspectives.Cast<uint?>().FirstOrDefault();
        var all = perspective is { } whose ? (int)Math.Min(recording.Count(whose), int.MaxValue) : 0;
        if (all < 2)
        {
            throw new CommandException($"{path} has fewer than two observations: name a recording of a whole match");
        }

        var wanted = Math.Min(steps ?? all, all);
        var (runs, length) = wanted == all ? (1, all) : (Math.Max(1, wanted / longestRun), Math.Min(wanted, longestRun));
        var map = recording.Description.MapName is { Length: > 0 } name ? $" on {name}" : "";
        var kind = recording.Description.Simulated ? "simulated" : "recorded";
        return new RecordedSteps(path, $"{Path.GetFileName(path)}, {kind}{map}", all, runs, length, ct);
    }

    public override IEnumerator<MatchStep> GetEnumerator()
    {
        using var recording = RecordingReader.Open(_path);
        using var observations = recording.Observations(recording.Perspectives.First());
        var next = -1;
        foreach (var (index, run) in Places())
        {
            _ct.ThrowIfCancellationRequested();
            if (index != next)
            {
                observations.SeekIndex(index);
            }

            if (!observations.Next(out var observation))
            {
                yield break;
            }

            next = index + 1;
            yield return new MatchStep(index, run, observation.Bytes.ToArray());
        }
    }
}
