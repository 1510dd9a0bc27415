using System.Threading.RateLimiting;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Limits the messages of one agent: at most <see cref="Burst"/> after each frame, and <see cref="PerSecond"/> more in each second until the next frame.
/// An agent that acknowledges, acts and reports times sends three or four messages per frame.
/// </summary>
#pragma warning disable CA1001 // Limiters without a timer and without a queue have nothing to dispose of.
public sealed class MessageRateLimiter
#pragma warning restore CA1001
{
    /// <summary>The most messages after each frame, and before the first frame.</summary>
    public const int Burst = 10_000;

    /// <summary>The number of additional messages per second.</summary>
    public const int PerSecond = 1_000;

    // Each frame refills this limiter, so the length of the limiter's time window does not matter.
    private readonly FixedWindowRateLimiter _perFrame = CreateLimiter(Burst, TimeSpan.FromTicks(1));
    private readonly FixedWindowRateLimiter _perSecond = CreateLimiter(PerSecond, TimeSpan.FromSeconds(1));

    /// <summary>Called when the agent has got a frame.</summary>
    public void Refill() => _perFrame.TryReplenish();

    /// <summary>Counts a message of the agent; false if the limit is exceeded.</summary>
    public bool TryAcquire()
    {
        if (TryAcquire(_perFrame))
        {
            return true;
        }

        _perSecond.TryReplenish();
        return TryAcquire(_perSecond);
    }

    private static bool TryAcquire(FixedWindowRateLimiter limiter)
    {
        using var lease = limiter.AttemptAcquire();
        return lease.IsAcquired;
    }

    private static FixedWindowRateLimiter CreateLimiter(int permits, TimeSpan length) => new(new FixedWindowRateLimiterOptions
    {
        PermitLimit = permits,
        Window = length,
        AutoReplenishment = false,
    });
}
