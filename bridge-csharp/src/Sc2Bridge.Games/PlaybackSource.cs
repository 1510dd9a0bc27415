using System.Diagnostics.CodeAnalysis;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// The playback of an earlier match. The playback itself decides when its steps are due. Any thread may pause the playback, set its rate,
/// and move the playback to another step.
/// </summary>
public abstract class PlaybackSource : IGameSource, IPace, IPlayback
{
    private readonly StepWait _stepWait;
    private bool _disposed;

    private protected PlaybackSource() => _stepWait = new StepWait(Gate, now => Play.DueNs(now));

    /// <inheritdoc/>
    public abstract V1.MatchDescription Description { get; }

    /// <inheritdoc/>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public abstract V1.MatchEnd? End { get; }

    /// <summary>Must be locked while <see cref="Play"/> is used.</summary>
    private protected Lock Gate { get; } = new();

    /// <summary>The steps of the match, and when they are due.</summary>
    private protected abstract SteppedPlay Play { get; }

    /// <inheritdoc/>
    public abstract Task StartAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public async ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken)
    {
        try
        {
            await _stepWait.WaitAsync(cancellationToken);
        }
        catch (RecordingException damaged)
        {
            throw new GameException(damaged.Message, damaged);
        }
    }

    /// <inheritdoc/>
    public abstract ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public V1.PlaybackState Control(V1.ControlRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        lock (Gate)
        {
            if (_disposed)
            {
                throw new RequestRefusedException(StatusCode.Unavailable, "the playback is over: start it again");
            }

            try
            {
                Play.Apply(request, MonotonicClock.NowNs);
            }
            catch (RecordingException damaged)
            {
                throw new RequestRefusedException(StatusCode.FailedPrecondition, damaged.Message);
            }

            if (request.CommandCase != V1.ControlRequest.CommandOneofCase.None)
            {
                _stepWait.NotifyChanged();
            }

            return Play.State();
        }
    }

    /// <inheritdoc/>
    public abstract Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct);

    /// <summary>Ends the playback and releases its resources.</summary>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        lock (Gate)
        {
            if (_disposed)
            {
                return ValueTask.CompletedTask;
            }

            _disposed = true;
            _stepWait.Dispose();
        }

        return CloseAsync();
    }

    /// <summary>Waits until a step is due.</summary>
    /// <param name="takeDueStep">Returns the step that is due. <see cref="Gate"/> is locked during the call.</param>
    /// <param name="ct">Cancels the wait.</param>
    private protected async ValueTask<T> WhenDueAsync<T>(Func<long, T> takeDueStep, CancellationToken ct)
    {
        while (true)
        {
            await WaitAsync(null, ct);
            lock (Gate)
            {
                var now = MonotonicClock.NowNs;
                if (Play.DueNs(now) <= now)
                {
                    return takeDueStep(now);
                }
            }

            // After the wait, another thread paused or moved the playback, so the step is no longer due.
        }
    }

    /// <summary>Releases all resources. Called once.</summary>
    private protected abstract ValueTask CloseAsync();
}
