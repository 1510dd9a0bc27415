using System.Threading.RateLimiting;

namespace Sc2Bridge.Streaming;

/// <summary>
/// How many messages one agent may send: a burst for each frame that it gets, and some in every second without one. An
/// agent that acknowledges, acts and reports sends three or four messages a frame.
/// </summary>
#pragma warning disable CA1001 // Limiters without a timer and without a queue have nothing to dispose of.
public sealed class MessageRateLimiter
#pragma warning restore CA1001
{
    /// <summary>The most messages after one frame, and before the first.</summary>
    public const int Burst = 10_000;

    /// <summary>Further messages allowed in each second.</summary>
    public const int PerSecond = 1_000;

    // A window lasts until the next frame, whenever that comes.
    private readonly FixedWindowRateLimiter _uponFrame = Window(Burst, TimeSpan.FromTicks(1));
    private readonly FixedWindowRateLimiter _perSecond = Window(PerSecond, TimeSpan.FromSeconds(1));

    /// <summary>The agent has got a frame.</summary>
    public void Refill() => _uponFrame.TryReplenish();

    /// <summary>Counts a message of the agent; false where it is one too many.</summary>
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
