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

    /// <summary>How many different ones there are.</summary>
    public int Count => observations.Length;

    public double MeanLength => observations.Average(observation => observation.Length);

    public IReadOnlyList<byte[]> All => observations;

    /// <summary>The serialized <c>ResponseObservation</c> of a step.</summary>
    public byte[] Observation(ulong step) => observations[step % (ulong)observations.Length];

    /// <summary>Late ones of the simulated match.</summary>
    public static MeasuredFrames Simulate(CancellationToken ct)
    {
        var match = new SimulatedMatch();
        var frames = new byte[UsualCount][];
        for (var index = 0; index < frames.Length; index++)
        {
            match.Play(FirstLoop + 1 + index, ct);
            frames[index] = match.Observe();
        }

        var (least, most) = (frames.Min(frame => frame.Length), frames.Max(frame => frame.Length));
        return new MeasuredFrames(
            frames,
            Invariant($"simulated: {UsualCount} steps from game loop {FirstLoop + 1} on, seed {SimulatorDefaults.Seed}, ")
            + Invariant($"{least / 1024.0:0.0} to {most / 1024.0:0.0} KiB"));
    }

    /// <summary>Has them in a folder while something runs: for the simulated game that answers with them.</summary>
    public async Task<T> InFolderAsync<T>(Func<string, Task<T>> run)
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-bench-");
        try
        {
            foreach (var (index, observation) in observations.Index())
            {
                File.WriteAllBytes(Path.Combine(folder.FullName, Invariant($"{index:0000}.observation.pb")), observation);
            }

            return await run(folder.FullName);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
