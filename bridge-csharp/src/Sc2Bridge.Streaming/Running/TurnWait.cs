namespace Sc2Bridge.Streaming;

/// <summary>Waits for when a playback may give what comes next, which may change meanwhile.</summary>
/// <param name="gate">Held wherever <paramref name="dueNs"/> is called.</param>
/// <param name="dueNs">
/// For a time, in nanoseconds of <see cref="Streaming.MonotonicClock"/>: when the next is due; null where only a change
/// brings it.
/// </param>
public sealed class TurnWait(Lock gate, Func<long, long?> dueNs) : IDisposable
{
    // A timer is set for so long before a step is due, and the rest is waited for exactly.
    private const long TimerMarginNs = 4_000_000;
    private static readonly TimeSpan LongestTimer = TimeSpan.FromHours(1);

    private readonly SemaphoreSlim _changed = new(0);
    private readonly HighResolutionTimer _timer = new();

    /// <summary>What is due, or when, is otherwise now. Called under the gate.</summary>
    public void Changed()
    {
        if (_changed.CurrentCount == 0)
        {
            _changed.Release();
        }
    }

    /// <summary>
    /// Returns when something may be given; by then it may be otherwise again. For one caller at a time.
    /// </summary>
    /// <param name="ct">Gives up.</param>
    public async ValueTask WaitAsync(CancellationToken ct)
    {
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            var now = Streaming.MonotonicClock.NowNs;
            long? due;
            lock (gate)
            {
                due = dueNs(now);
            }

            if (due <= now)
            {
                return;
            }

            if (due is not { } moment)
            {
                await _changed.WaitAsync(ct);
            }
            else if (moment - now > TimerMarginNs)
            {
                var timer = TimeSpan.FromTicks((moment - now - TimerMarginNs) / TimeSpan.NanosecondsPerTick);
                await _changed.WaitAsync(timer < LongestTimer ? timer : LongestTimer, ct);
            }
            else
            {
                await _timer.UntilAsync(moment, ct);
                return;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _changed.Dispose();
}
