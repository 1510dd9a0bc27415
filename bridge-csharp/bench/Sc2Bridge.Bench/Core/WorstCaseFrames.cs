using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Bench;

/// <summary>
/// The harsh sequence (<see cref="HarshSequence"/>) as frames: nothing like it happens in a game; it shows what is left
/// of a gain that rests on what stays the same.
/// </summary>
internal static class WorstCaseFrames
{
    /// <summary>Frames of the whole sequence.</summary>
    public const int Count = HarshSequence.Length;

    /// <summary>The seed that figures are told of.</summary>
    public const ulong Seed = HarshSequence.DefaultSeed;

    /// <summary>Makes the first frames of the sequence.</summary>
    /// <param name="count">How many of them.</param>
    /// <param name="seed">Decides them.</param>
    /// <param name="ct">Gives up.</param>
    public static MeasuredFrames Make(int count, ulong seed, CancellationToken ct)
    {
        var sequence = new HarshSequence(seed);
        var frames = new byte[count][];
        for (var frame = 0; frame < count; frame++)
        {
            ct.ThrowIfCancellationRequested();
            frames[frame] = sequence.Next().ToArray();
        }

        var kib = frames.Average(bytes => bytes.Length) / 1024;
        return new MeasuredFrames(
            frames,
            FormattableString.Invariant(
                $"harsh: {count} frames of {HarshSequence.Units} units, {HarshSequence.Moved} of which move each step, ")
            + FormattableString.Invariant($"seed {seed}, {kib:0.0} KiB in the mean"));
    }
}
