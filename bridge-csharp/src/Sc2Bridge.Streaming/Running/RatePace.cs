namespace Sc2Bridge.Streaming;

/// <summary>
/// The pace of a live match: at a rate, steps are due at absolute times, so that a late one does not delay the next
/// (<see cref="StepSchedule"/>); at <c>max</c> and in real time each is due at once, and the source sets the pace.
/// </summary>
internal sealed class RatePace(StepRate rate) : IPace
{
    private readonly HighResolutionTimer _timer = new();
    private StepSchedule? _schedule;

    /// <inheritdoc/>
    public ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (rate.Hz == 0 || lastRequestedNs is not { } first)
        {
            return ValueTask.CompletedTask;
        }

        _schedule ??= new StepSchedule(rate.Hz, first);
        return _timer.UntilAsync(_schedule.Next(MonotonicClock.NowNs), cancellationToken);
    }
}
