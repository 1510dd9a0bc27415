using System.Security.Cryptography;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Holds what every client receives to be, byte for byte, what was sent: no times, any machine.</summary>
internal static class DeliveryCheck
{
    /// <summary>Sends every frame to every target's client twice as fast as it goes, and twice in lockstep.</summary>
    /// <returns>One line a target.</returns>
    /// <exception cref="MeasuringException">Something else came, or came in another order.</exception>
    public static async Task<IReadOnlyList<string>> RunAsync(
        IReadOnlyList<IDeliveryTarget> targets, MeasuredFrames frames, string python, CancellationToken ct)
    {
        var sent = Enumerable.Range(0, frames.Count)
            .Select(index => Convert.ToHexStringLower(SHA256.HashData(frames.Observation((ulong)index))))
            .ToArray();
        var lines = new List<string>();
        foreach (var target in targets)
        {
            await using var client = await PythonClient.StartAsync(python, target.Transport, target.Address, ct);
            var received = 0;
            foreach (var lockstep in new[] { false, true })
            {
                var phase = new Phase(lockstep, 2 * frames.Count, Rate: 0, Digests: true);
                var result = await DeliveryBenchmark.PhaseAsync(target, client, phase, warmUp: 1, ct);
                Hold(result.Digests, sent, target.Name);
                received += result.Digests.Length;
            }

            lines.Add($"{target.Name}, {client.Description}: {received} frames, every byte as it was sent");
        }

        return lines;
    }

    // The rotation goes on from phase to phase, so it may begin anywhere.
    private static void Hold(string[] received, string[] sent, string target)
    {
        bool IsRotation(int first) =>
            received.Index().All(frame => frame.Item == sent[(first + frame.Index) % sent.Length]);
        if (!Enumerable.Range(0, sent.Length).Any(IsRotation))
        {
            throw new MeasuringException(
                $"{target}: the {received.Length} frames received are not those sent, byte for byte and in order");
        }
    }
}
