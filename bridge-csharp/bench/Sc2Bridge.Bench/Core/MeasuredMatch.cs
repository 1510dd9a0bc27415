using System.Collections;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Bench;

/// <summary>One step of a match.</summary>
/// <param name="Index">Counts from 0 at the match's first observation.</param>
/// <param name="Run">Which run of consecutive steps it belongs to, from 0.</param>
/// <param name="Observation">The serialized <c>ResponseObservation</c>.</param>
internal readonly record struct MatchStep(int Index, int Run, byte[] Observation);

/// <summary>
/// Steps of a match for measuring codecs: all of them, or runs of consecutive ones, spread evenly over the match. Each
/// enumeration starts over and gives the same bytes. Nothing is cached.
/// </summary>
/// <param name="source">Which match, and whose.</param>
/// <param name="all">Steps of the whole match.</param>
/// <param name="runs">How many runs, from the match's first step to its last; 1 begins at the first.</param>
/// <param name="runLength">Steps in each.</param>
/// <param name="observe">The observations of steps, whose indexes grow.</param>
internal sealed class MeasuredMatch(
    string source, int all, int runs, int runLength, Func<IEnumerable<int>, IEnumerable<byte[]>> observe) : IEnumerable<MatchStep>
{
    public int Count => runs * runLength;

    public string Source => source;

    /// <summary>Steps of the default simulated match.</summary>
    public static MeasuredMatch Simulated(int runs, int runLength, CancellationToken ct) => new(
        $"simulated, two Elites on {SimulatedMatch.Map}", SimulatedMatch.Length, runs, runLength, steps => Play(steps, ct));

    /// <summary>So many steps of a recording as its first perspective sees them, in runs; null for all.</summary>
    public static MeasuredMatch Recorded(string path, int? steps, int longestRun, CancellationToken ct)
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
        return new($"{Path.GetFileName(path)}, {kind}{map}", all, runs, length, indexes => Read(path, indexes, ct));
    }

    public string Describe() => (runs, Count == all) switch
    {
        (_, true) => $"all {all:N0} steps",
        (1, _) => $"the first {runLength} of {all:N0} steps",
        _ => $"{runs} runs of {runLength} consecutive steps, spread evenly over {all:N0}",
    };

    public IEnumerator<MatchStep> GetEnumerator() => Places()
        .Zip(observe(Places().Select(place => place.Index)), (place, bytes) => new MatchStep(place.Index, place.Run, bytes))
        .GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>The observations of steps of the default simulated match, whose indexes grow.</summary>
    public static IEnumerable<byte[]> Play(IEnumerable<int> steps, CancellationToken ct)
    {
        var match = new SimulatedMatch();
        foreach (var step in steps)
        {
            ct.ThrowIfCancellationRequested();
            match.Play(step, ct);
            yield return match.Observe();
        }
    }

    private static IEnumerable<byte[]> Read(string path, IEnumerable<int> steps, CancellationToken ct)
    {
        using var recording = RecordingReader.Open(path);
        using var observations = recording.Observations(recording.Perspectives.First());
        var next = -1;
        foreach (var step in steps)
        {
            ct.ThrowIfCancellationRequested();
            if (step != next)
            {
                observations.SeekIndex(step);
            }

            if (!observations.Next(out var observation))
            {
                yield break;
            }

            next = step + 1;
            yield return observation.Bytes.ToArray();
        }
    }

    // The number of each step, and the run that it is in.
    private IEnumerable<(int Index, int Run)> Places()
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
