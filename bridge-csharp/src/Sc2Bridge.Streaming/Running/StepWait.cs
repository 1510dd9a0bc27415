namespace Sc2Bridge.Streaming;

/// <summary>Waits until a playback's next step is due, which may change meanwhile.</summary>
/// <param name="gate">Held wherever <paramref name="dueNs"/> is called.</param>
/// <param name="dueNs">
/// From the time now, in nanoseconds of <see cref="Streaming.MonotonicClock"/>: when the next is due; null where only a
/// change gives one.
/// </param>
public sealed class StepWait(Lock gate, Func<long, long?> dueNs) : IDisposable
{
    // A timer ends so long before a step is due; the high-resolution timer waits for the rest.
    private const long TimerMarginNs = 4_000_000;
    private static readonly TimeSpan LongestTimer = TimeSpan.FromHours(1);

    private readonly SemaphoreSlim _changed = new(0);
    private readonly HighResolutionTimer _timer = new();

    /// <summary>The due time has changed. Called under the gate.</summary>
    public void Changed()
    {
        if (_changed.CurrentCount == 0)
        {
            _changed.Release();
        }
    }

    /// <summary>
    /// Returns when a step is due; check again under the gate, as that may have changed. For one caller at a time.
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
