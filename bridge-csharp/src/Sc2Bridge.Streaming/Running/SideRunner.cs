namespace Sc2Bridge.Streaming;

/// <summary>
/// Follows one side of a match: asks for its observations at its pace, and publishes them into the hub.
/// </summary>
/// <param name="side">The side; its own pace where it has one.</param>
/// <param name="hub">Where its observations go.</param>
/// <param name="rate">How fast, where the side has no pace of its own.</param>
/// <param name="stepLimit">The most observations that are published; 0 for no limit.</param>
internal sealed class SideRunner(IGameSource side, Hub hub, StepRate rate, ulong stepLimit)
{
    private readonly Lock _lock = new();
    private readonly IPace _pace = side as IPace ?? new RatePace(rate);
    private MatchProgress _progress;

    internal IGameSource Side => side;

    /// <summary>Its progress; may be read from any thread.</summary>
    internal MatchProgress Progress
    {
        get
        {
            lock (_lock)
            {
                return _progress;
            }
        }
    }

    /// <summary>Follows it.</summary>
    /// <returns>How the match ended for it; null where it has come to the step limit.</returns>
    /// <exception cref="GameException">The game failed.</exception>
    internal async Task<V1.MatchEnd?> FollowAsync(CancellationToken ct)
    {
        var perspective = side.Description.Perspectives.FirstOrDefault();
        long? asked = null;
        while (stepLimit == 0 || Progress.Frames < stepLimit)
        {
            await _pace.WaitAsync(asked, ct);

            // The game gets the actions before the next step, and the agents get outcomes before the frame that
            // follows.
            var acting = hub.Publisher.ActAsync(perspective, ct);
            var frame = await side.NextAsync(ct);
            await acting;
            if (frame is null)
            {
                return side.End!;
            }

            lock (_lock)
            {
                var length = frame.Observation.Length;
                _progress = new MatchProgress(
                    _progress.Frames + 1, frame.Header.GameLoop, _progress.Bytes + length, length, frame.Header.Step);
            }

            asked = frame.Header.RequestedNs;
            await hub.Publisher.PublishAsync(frame, ct);
        }

        return null;
    }
}

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
