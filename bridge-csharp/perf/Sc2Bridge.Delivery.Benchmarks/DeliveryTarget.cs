using System.Diagnostics;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>One stretch of frames to one client.</summary>
/// <param name="Lockstep">Each frame waits for the answer to the one before; else they come at the rate.</param>
/// <param name="Frames">How many, those for warming up included.</param>
/// <param name="Rate">Frames a second where it is not lockstep.</param>
/// <param name="Digests">Whether the client takes the digest of what it receives, which costs time.</param>
internal sealed record Phase(bool Lockstep, int Frames, double Rate, bool Digests);

/// <summary>A way for frames to reach a client, measured beside the others.</summary>
internal interface IDeliveryTarget : IAsyncDisposable
{
    /// <summary>As the table calls it.</summary>
    string Name { get; }

    /// <summary>
    /// What the client speaks: <c>raw</c>, <c>grpc</c> or <c>websocket</c>, <c>+group-zstd</c> behind it or not.
    /// </summary>
    string Transport { get; }

    /// <summary>Host and port.</summary>
    string Address { get; }

    /// <summary>Whether lockstep round trips are measured too.</summary>
    bool HasLockstep { get; }

    /// <summary>The target this one is held against (a bare handler, or the same way uncompressed), or null.</summary>
    string? Peer { get; }

    /// <summary>Serves one client; ends when the client has had every frame and gone.</summary>
    Task ServeAsync(Phase phase, CancellationToken ct);
}

/// <summary>Does something at a steady rate, without running after what was late.</summary>
internal static class Pacer
{
    /// <summary>
    /// Calls <paramref name="step"/> <paramref name="count"/> times; a rate of 0 is as fast as it goes.
    /// </summary>
    /// <param name="count">How many.</param>
    /// <param name="rate">Steps a second.</param>
    /// <param name="step">Sends a frame.</param>
    /// <param name="ct">Stops it.</param>
    /// <param name="expect">
    /// Called while the game would make the observation, a millisecond before each step that has a time. All targets are
    /// woken then, so that none meets a processor that is more awake.
    /// </param>
    public static async Task RunAsync(
        int count, double rate, Func<ValueTask> step, CancellationToken ct, Action? expect = null)
    {
        var next = Stopwatch.GetTimestamp();
        var period = rate > 0 ? (long)(Stopwatch.Frequency / rate) : 0;
        for (var done = 0; done < count; done++)
        {
            if (period > 0)
            {
                next += period;
                var now = Stopwatch.GetTimestamp();
                next = Math.Max(next, now);
                await Task.Delay(Stopwatch.GetElapsedTime(now, next), ct);
                expect?.Invoke();
                await Task.Delay(1, ct);
            }

            await step();
        }
    }
}
