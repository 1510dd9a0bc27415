using System.Threading.RateLimiting;

namespace Sc2Bridge.Streaming;

/// <summary>
/// How much one agent may say: a burst with each frame that it gets, and some in every second without any. An agent
/// that answers, acts and reports says three or four messages a frame.
/// </summary>
#pragma warning disable CA1001 // Limiters without a timer and without a queue have nothing to dispose of.
public sealed class MessageRateLimiter
#pragma warning restore CA1001
{
    /// <summary>The most messages upon one frame, and at once before the first.</summary>
    public const int Burst = 10_000;

    /// <summary>The messages that come to that with every second.</summary>
    public const int PerSecond = 1_000;

    // A window lasts until the next frame, whenever that comes.
    private readonly FixedWindowRateLimiter _uponFrame = Window(Burst, TimeSpan.FromTicks(1));
    private readonly FixedWindowRateLimiter _perSecond = Window(PerSecond, TimeSpan.FromSeconds(1));

    /// <summary>The agent has got a frame.</summary>
    public void Refill() => _uponFrame.TryReplenish();

    /// <summary>The agent says something; false where that is too much.</summary>
    public bool Take()
    {
        if (IsTaken(_uponFrame))
        {
            return true;
        }

        _perSecond.TryReplenish();
        return IsTaken(_perSecond);
    }

    private static bool IsTaken(FixedWindowRateLimiter limiter)
    {
        using var lease = limiter.AttemptAcquire();
        return lease.IsAcquired;
    }

    private static FixedWindowRateLimiter Window(int permits, TimeSpan length) => new(new FixedWindowRateLimiterOptions
    {
        PermitLimit = permits,
        Window = length,
        AutoReplenishment = false,
    });
}
