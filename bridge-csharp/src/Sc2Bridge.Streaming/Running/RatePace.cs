namespace Sc2Bridge.Streaming;

/// <summary>
/// The pace of a live match: at a rate, steps are due at absolute times, so that a late one does not delay the next
/// (<see cref="StepSchedule"/>); at <c>max</c> and in real time each is due at once, and the source sets the pace.
/// </summary>
public sealed class RatePace(StepRate rate) : IPace
{
    /// <summary>How long before a frame is due its coming is told.</summary>
    public const long ForesightNs = 1_000_000;

    private StepSchedule? _schedule;

    /// <inheritdoc/>
    public async ValueTask WaitAsync(long? lastAskedNs, Action soon, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(soon);
        cancellationToken.ThrowIfCancellationRequested();
        if (rate.Hz == 0 || lastAskedNs is not { } first)
        {
            return;
        }

        _schedule ??= new StepSchedule(rate.Hz, first);
        var due = _schedule.Next(Streaming.MonotonicClock.NowNs);
        await HighResolutionTimer.UntilAsync(due - ForesightNs, cancellationToken);
        soon();
        await HighResolutionTimer.UntilAsync(due, cancellationToken);
    }
}
