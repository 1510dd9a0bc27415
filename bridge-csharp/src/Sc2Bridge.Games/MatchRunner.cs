using Sc2Bridge.Streaming;
using PlayerResult = SC2APIProtocol.PlayerResult;
using Result = SC2APIProtocol.Result;

namespace Sc2Bridge.Games;

/// <summary>How far a match is; all counts since its start.</summary>
/// <param name="Frames">Observations published.</param>
/// <param name="GameLoop">The newest one's.</param>
/// <param name="Bytes">The observations' bytes, summed.</param>
/// <param name="LastBytes">The newest one's bytes.</param>
/// <param name="Step">The newest one's step.</param>
public readonly record struct MatchProgress(ulong Frames, uint GameLoop, long Bytes, int LastBytes, ulong Step);

/// <summary>
/// Runs a match: takes observations from a source at the pace asked for, publishes them into a hub, and ends it there.
/// </summary>
/// <remarks>A hub that waits (lockstep, pause) holds the game.</remarks>
public sealed class MatchRunner
{
    private readonly IGameSource _source;
    private readonly Hub _hub;
    private readonly IPace _pace;
    private readonly ulong _stepLimit;
    private readonly Action _expect;
    private readonly Lock _lock = new();
    private MatchProgress _progress;
    private CancellationTokenSource? _running;
    private uint? _forfeited;

    /// <summary>A runner of one match at one rate.</summary>
    /// <param name="source">Where observations come from; the caller disposes it.</param>
    /// <param name="hub">Where they go; the caller disposes it.</param>
    /// <param name="rate">How fast.</param>
    /// <param name="stepLimit">The most observations that are published; 0 for no limit.</param>
    public MatchRunner(IGameSource source, Hub hub, StepRate rate, ulong stepLimit)
        : this(source, hub, new RatePace(rate), stepLimit)
    {
    }

    /// <summary>A runner of one match at any pace.</summary>
    /// <param name="source">Where observations come from; the caller disposes it.</param>
    /// <param name="hub">Where they go; the caller disposes it.</param>
    /// <param name="pace">When each is asked for.</param>
    /// <param name="stepLimit">The most observations that are published; 0 for no limit.</param>
    public MatchRunner(IGameSource source, Hub hub, IPace pace, ulong stepLimit)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(pace);
        _source = source;
        _hub = hub;
        _pace = pace;
        _stepLimit = stepLimit;
        _expect = hub.Expect;
    }

    /// <summary>How far it is; may be read from any thread.</summary>
    public MatchProgress Progress
    {
        get
        {
            lock (_lock)
            {
                return _progress;
            }
        }
    }

    /// <summary>Starts the source, and announces its match to the hub.</summary>
    /// <exception cref="GameException">The game could not be brought so far.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await _source.StartAsync(cancellationToken);
        _hub.Announce(_source.Description, _source, _source.Playback);
    }

    /// <summary>Runs the started match to its end, and ends it in the hub, whatever happens.</summary>
    /// <param name="cancellationToken">Stops the match, which is an end like any other (reason <c>stopped</c>).</param>
    /// <returns>
    /// How it ended: with results, at the step limit, stopped, or aborted, where the reason is the game's failure as
    /// one line that names what to do.
    /// </returns>
    public async Task<V1.MatchEnd> RunAsync(CancellationToken cancellationToken)
    {
        using var running = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        lock (_lock)
        {
            _running = running;
            if (_forfeited is not null)
            {
                _ = running.CancelAsync();
            }
        }

        try
        {
            return await RunAsync(running.Token, cancellationToken);
        }
        finally
        {
            lock (_lock)
            {
                _running = null;
            }
        }
    }

    /// <summary>A player gives up: the match ends where it is, lost by that player and won by the others.</summary>
    /// <param name="player">Of those of the description; only the first call counts, and none after the end.</param>
    public void Forfeit(uint player)
    {
        lock (_lock)
        {
            if (_forfeited is null)
            {
                _forfeited = player;
                _ = _running?.CancelAsync();
            }
        }
    }

    private async Task<V1.MatchEnd> RunAsync(CancellationToken running, CancellationToken stopped)
    {
        V1.MatchEnd end;
        try
        {
            end = await FollowAsync(running) ? _source.End! : Ended("step limit", aborted: false);
        }
        catch (OperationCanceledException) when (stopped.IsCancellationRequested)
        {
            end = Ended("stopped", aborted: false);
        }
        catch (OperationCanceledException) when (running.IsCancellationRequested)
        {
            end = Forfeited(_forfeited!.Value);
        }
        catch (GameException failure)
        {
            end = Ended(failure.Message, aborted: true);
        }
        catch (Exception failure)
        {
            _hub.End(Ended($"The bridge failed: {failure.Message}", aborted: true));
            throw;
        }

        _hub.End(end);
        return end;
    }

    // True where the match came to its own end.
    private async Task<bool> FollowAsync(CancellationToken cancellationToken)
    {
        long? asked = null;
        while (_stepLimit == 0 || Progress.Frames < _stepLimit)
        {
            await _pace.WaitAsync(asked, _expect, cancellationToken);

            // Sent before the step that is asked for next; heard of before the frame that it leads to.
            var acting = _hub.ActAsync(cancellationToken);
            var frame = await _source.NextAsync(cancellationToken);
            await acting;
            if (frame is null)
            {
                return true;
            }

            lock (_lock)
            {
                var length = frame.Observation.Length;
                _progress = new MatchProgress(
                    _progress.Frames + 1, frame.Header.GameLoop, _progress.Bytes + length, length, frame.Header.Step);
            }

            asked = frame.Header.AskedNs;
            await _hub.PublishAsync(frame, cancellationToken);
        }

        return false;
    }

    private V1.MatchEnd Forfeited(uint player)
    {
        var end = Ended($"forfeited by player {player}: no agent plays it any more", aborted: false);
        end.Results.AddRange(_source.Description.Players.Select(other => new PlayerResult
        {
            PlayerId = other.PlayerId,
            Result = other.PlayerId == player ? Result.Defeat : Result.Victory,
        }));
        return end;
    }

    private V1.MatchEnd Ended(string reason, bool aborted)
    {
        var progress = Progress;
        return new V1.MatchEnd
        {
            Match = _source.Description.Match,
            Step = progress.Step,
            GameLoop = progress.GameLoop,
            Reason = reason,
            Aborted = aborted,
        };
    }
}
