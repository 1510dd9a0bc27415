namespace Sc2Bridge.Streaming;

/// <summary>Waits until the next step of a playback is due. The due time may change during the wait.</summary>
/// <param name="gate">The lock under which <paramref name="dueNs"/> is called.</param>
/// <param name="dueNs">
/// Returns when the next step is due; null if no step is due until <see cref="NotifyChanged"/> is called. The argument is the
/// current time in nanoseconds of <see cref="Streaming.MonotonicClock"/>.
/// </param>
public sealed class StepWait(Lock gate, Func<long, long?> dueNs) : IDisposable
{
    // A normal timer ends this long before the step is due. The high-resolution timer waits for the rest of the time.
    private const long TimerMarginNs = 4_000_000;
    private static readonly TimeSpan LongestTimer = TimeSpan.FromHours(1);

    private readonly SemaphoreSlim _changed = new(0);
    private readonly HighResolutionTimer _timer = new();

    /// <summary>Makes the wait read the due time again. Call this method under the gate when the due time has changed.</summary>
    public void NotifyChanged()
    {
        if (_changed.CurrentCount == 0)
        {
            _changed.Release();
        }
    }

    /// <summary>
    /// Waits until a step is due. After the wait, check the due time under the gate, because it may have changed. Only one call
    /// may wait at a time.
    /// </summary>
    /// <param name="ct">Cancels the wait.</param>
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
                await _timer.WaitUntilAsync(moment, ct);
                return;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _changed.Dispose();
}
