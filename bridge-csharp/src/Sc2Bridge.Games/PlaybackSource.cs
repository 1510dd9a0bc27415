using System.Diagnostics.CodeAnalysis;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that was played before. It is its own pace, and can be held, moved and paced while it plays, from any thread.
/// </summary>
public abstract class PlaybackSource : IGameSource, IPace, IPlayback
{
    private readonly StepWait _turn;
    private bool _disposed;

    private protected PlaybackSource() => _turn = new StepWait(Gate, now => Play.DueNs(now));

    /// <inheritdoc/>
    public abstract V1.MatchDescription Description { get; }

    /// <inheritdoc/>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public abstract V1.MatchEnd? End { get; }

    /// <summary>Held wherever <see cref="Play"/> is used.</summary>
    private protected Lock Gate { get; } = new();

    /// <summary>What is given, and when.</summary>
    private protected abstract SteppedPlay Play { get; }

    /// <inheritdoc/>
    public abstract Task StartAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public async ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken)
    {
        try
        {
            await _turn.WaitAsync(cancellationToken);
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
                throw new RequestRefusedException(StatusCode.Unavailable, "the playback is over");
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
                _turn.Changed();
            }

            return Play.State();
        }
    }

    /// <inheritdoc/>
    public abstract Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct);

    /// <summary>Ends the playback, and what it needed.</summary>
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
            _turn.Dispose();
        }

        return CloseAsync();
    }

    /// <summary>Waits until something is due.</summary>
    /// <param name="give">Gives it, under the gate.</param>
    /// <param name="ct">Gives up.</param>
    private protected async ValueTask<T> InTurnAsync<T>(Func<long, T> give, CancellationToken ct)
    {
        while (true)
        {
            await WaitAsync(null, ct);
            lock (Gate)
            {
                var now = MonotonicClock.NowNs;
                if (Play.DueNs(now) <= now)
                {
                    return give(now);
                }
            }

            // Held or moved since.
        }
    }

    /// <summary>Releases what was opened; called once.</summary>
    private protected abstract ValueTask CloseAsync();
}
