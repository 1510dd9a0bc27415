using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>Late stretches of the simulated match, with observations as large as those of a real match late on.</summary>
internal static class SimulatedFrames
{
    // Far enough apart for units to have moved, died and been built between two of them.
    private const int Stride = 20;

    // Late observations of a real match have 134 to 169 KiB; this is what published figures speak of.
    private const int Wanted = 160 << 10;

    /// <summary>Plays the match and keeps the stretch whose observations, 20 loops apart, are nearest to 160 KiB.</summary>
    public static MeasuredFrames Make(int count, CancellationToken ct)
    {
        var frames = Observe(Stride, SimulatedMatch.Length / Stride, Stride, ct);
        var first = Enumerable.Range(0, frames.Count - count + 1).MinBy(start =>
            Math.Abs(frames.GetRange(start, count).Average(frame => frame.Length) - Wanted));
        return Named(
            frames.GetRange(first, count),
            $"{count} observations of game loops {(first + 1) * Stride} to {(first + count) * Stride}");
    }

    /// <summary>Consecutive steps, late in the match, where its observations are at their largest.</summary>
    public static MeasuredFrames Late(int count, CancellationToken ct) => Consecutive(SimulatedMatch.LateLoop, count, ct);

    /// <summary>Plays up to a loop of the same match and keeps each step of one loop from there on.</summary>
    public static MeasuredFrames Consecutive(int first, int count, CancellationToken ct) =>
        Named(Observe(first + 1, count, 1, ct), $"each of {count} steps from game loop {first + 1} on");

    private static List<byte[]> Observe(int first, int count, int stride, CancellationToken ct)
    {
        var match = new SimulatedMatch();
        return
        [
            .. Enumerable.Range(0, count).Select(index =>
            {
                match.Play(first + (index * stride), ct);
                return match.Observe();
            }),
        ];
    }

    private static MeasuredFrames Named(List<byte[]> frames, string what)
    {
        var (least, most) = (frames.Min(frame => frame.Length), frames.Max(frame => frame.Length));
        return new MeasuredFrames(
            [.. frames],
            Invariant($"simulated: {what}, seed {Simulator.SimulatorDefaults.Seed}, ")
            + Invariant($"{least / 1024.0:0.0} to {most / 1024.0:0.0} KiB"));
    }
}
