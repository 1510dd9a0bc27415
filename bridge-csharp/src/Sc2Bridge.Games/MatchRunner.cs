using Sc2Bridge.Streaming;

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
        V1.MatchEnd end;
        try
        {
            end = await FollowAsync(cancellationToken) ? _source.End! : Ended("step limit", aborted: false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            end = Ended("stopped", aborted: false);
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
