using Sc2Bridge.Simulator;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>The observations that are sent, in rotation: one sent again and again would sit in the caches.</summary>
/// <param name="observations">Serialized <c>ResponseObservation</c>s, at least one.</param>
/// <param name="origin">Which they are, in words.</param>
internal sealed class MeasuredFrames(byte[][] observations, string origin)
{
    // Steps that follow each other, as a subscriber receives them: how alike they are decides what compressing costs.
    // These are the match's last ones, its largest; together they take more than the caches hold.
    private const int FirstLoop = 16_700;
    private const int UsualCount = 64;

    public string Origin => origin;

    public double MeanLength => observations.Average(observation => observation.Length);

    public IReadOnlyList<byte[]> All => observations;

    /// <summary>The serialized <c>ResponseObservation</c> of a step.</summary>
    public byte[] Observation(ulong step) => observations[step % (ulong)observations.Length];

    /// <summary>Late ones of the simulated match.</summary>
    public static MeasuredFrames Simulate(CancellationToken ct)
    {
        byte[][] frames = [.. MeasuredMatch.Play(Enumerable.Range(FirstLoop + 1, UsualCount), ct)];
        var (least, most) = (frames.Min(frame => frame.Length), frames.Max(frame => frame.Length));
        return new MeasuredFrames(
            frames,
            Invariant($"simulated: {UsualCount} steps from game loop {FirstLoop + 1} on, seed {SimulatorDefaults.Seed}, ")
            + Invariant($"{least / 1024.0:0.0} to {most / 1024.0:0.0} KiB"));
    }

    /// <summary>Writes them to a folder: for the simulated game that answers with them.</summary>
    public TemporaryFolder InFolder()
    {
        var folder = new TemporaryFolder();
        foreach (var (index, observation) in observations.Index())
        {
            File.WriteAllBytes(folder[Invariant($"{index:0000}.observation.pb")], observation);
        }

        return folder;
    }
}
