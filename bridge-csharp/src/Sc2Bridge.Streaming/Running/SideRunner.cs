namespace Sc2Bridge.Streaming;

/// <summary>Runs one side of a match: requests the side's observations at its pace, and publishes these observations to the hub.</summary>
/// <param name="side">The side. If it is an <see cref="IPace"/>, it sets its own pace.</param>
/// <param name="hub">The hub to publish to.</param>
/// <param name="rate">The rate if the side does not set its own pace.</param>
/// <param name="stepLimit">The most observations to publish; 0 for no limit.</param>
internal sealed class SideRunner(IGameSource side, Hub hub, StepRate rate, ulong stepLimit)
{
    private readonly Lock _lock = new();
    private readonly IPace _pace = side as IPace ?? new RatePace(rate);
    private MatchProgress _progress;

    internal IGameSource Side => side;

    /// <summary>The progress. Thread-safe.</summary>
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

    /// <summary>Runs the side to its end.</summary>
    /// <returns>How the match ended for the side; null at the step limit.</returns>
    /// <exception cref="GameException">The game failed.</exception>
    internal async Task<V1.MatchEnd?> FollowAsync(CancellationToken ct)
    {
        var perspective = side.Description.Perspectives.FirstOrDefault();
        long? lastRequestedNs = null;
        while (stepLimit == 0 || Progress.Frames < stepLimit)
        {
            await _pace.WaitAsync(lastRequestedNs, ct);

            // The game gets the actions before the next step, and agents get the outcomes before the next frame.
            var actionsSent = hub.Publisher.SendActionsAsync(perspective, ct);
            var frame = await side.NextAsync(ct);
            await actionsSent;
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

            lastRequestedNs = frame.Header.RequestedNs;
            await hub.Publisher.PublishAsync(frame, ct);
        }

        return null;
    }
}

/// <summary>
/// The pace of a live match. If the rate is a number of steps per second, steps are due at absolute times, so a late step does not
/// delay the next step (<see cref="StepSchedule"/>). If the rate is <c>max</c> or real time, each step is due at once, and the source sets the pace.
/// </summary>
internal sealed class RatePace(StepRate rate) : IPace
{
    private readonly HighResolutionTimer _timer = new();
    private StepSchedule? _schedule;

    /// <inheritdoc/>
    public ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (rate.Hz == 0 || lastRequestedNs is not { } startNs)
        {
            return ValueTask.CompletedTask;
        }

        _schedule ??= new StepSchedule(rate.Hz, startNs);
        return _timer.WaitUntilAsync(_schedule.Next(MonotonicClock.NowNs), cancellationToken);
    }
}
