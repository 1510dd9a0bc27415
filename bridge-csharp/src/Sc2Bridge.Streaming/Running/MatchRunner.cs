using System.Runtime.ExceptionServices;

namespace Sc2Bridge.Streaming;

/// <summary>How far a match is; all counts since its start, of all its sides together.</summary>
/// <param name="Frames">Observations published.</param>
/// <param name="GameLoop">The newest one's.</param>
/// <param name="Bytes">The observations' bytes, summed.</param>
/// <param name="LastBytes">The newest one's bytes.</param>
/// <param name="Step">The newest one's step.</param>
public readonly record struct MatchProgress(ulong Frames, uint GameLoop, long Bytes, int LastBytes, ulong Step);

/// <summary>
/// Runs a match: takes observations from a source, for each of its sides at its own pace, publishes them into a hub,
/// and ends the match there, once for all sides.
/// </summary>
/// <remarks>
/// A hub that waits (lockstep, pause) holds back the side whose observation it is; the game then holds back the others,
/// which go no further than the slowest. A side that fails ends the match for all.
/// </remarks>
public sealed class MatchRunner
{
    // How long the other sides may take to end after the first, beside a lockstep agent's deadline.
    private static readonly TimeSpan EndPatience = TimeSpan.FromSeconds(5);

    private readonly IGameSource _source;
    private readonly Hub _hub;
    private readonly SideRunner[] _sides;
    private readonly MatchEndings _endings;
    private readonly Lock _lock = new();
    private CancellationTokenSource? _running;
    private Func<V1.MatchEnd>? _ending;

    /// <summary>A runner of one match.</summary>
    /// <param name="source">Where observations come from; the caller disposes it.</param>
    /// <param name="hub">Where they go; the caller disposes it.</param>
    /// <param name="rate">How fast, where the source is not its own <see cref="IPace"/>.</param>
    /// <param name="stepLimit">The most observations of a side that are published; 0 for no limit.</param>
    public MatchRunner(IGameSource source, Hub hub, StepRate rate, ulong stepLimit)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(rate);
        _source = source;
        _hub = hub;
        _endings = new MatchEndings(source);
        _sides = [.. source.Sides.Select(side => new SideRunner(side, hub, rate, stepLimit))];
    }

    /// <summary>Whether its end tells agents that another match follows.</summary>
    public bool NextFollows { get; init; }

    /// <summary>Its progress; may be read from any thread.</summary>
    public MatchProgress Progress
    {
        get
        {
            var sides = _sides.Select(side => side.Progress).ToList();
            var newest = sides.MaxBy(side => side.GameLoop);
            return newest with
            {
                Frames = sides.Aggregate(0ul, (sum, side) => sum + side.Frames),
                Bytes = sides.Sum(side => side.Bytes),
                Step = sides.Max(side => side.Step),
            };
        }
    }

    /// <summary>
    /// Completes when the game of a side is gone, before the match is run too, which then ends at once; never fails. Asked
    /// for once <see cref="StartAsync"/> is done.
    /// </summary>
    public Task Failed => Task.WhenAny(_sides.Select(side => side.Side.Failed));

    /// <summary>Starts the source, and announces its match to the hub.</summary>
    /// <exception cref="GameException">The game could not be brought so far.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        // Before it starts: a client that connects then may act at once.
        foreach (var side in _source.Sides)
        {
            side.Acted += Act;
        }

        await _source.StartAsync(cancellationToken);
        _hub.Announce(_source.Description, _source, _source.Playback, _source.GameInfo);
    }

    /// <summary>Runs the started match to its end, and ends it in the hub, whatever happens.</summary>
    /// <param name="cancellationToken">Stops the match, which is an end like any other (END_REASON_STOPPED).</param>
    /// <returns>
    /// How it ended: with results, at the step limit, stopped, or aborted. Then the detail is the game's
    /// failure as one line that names what to do.
    /// </returns>
    public async Task<V1.MatchEnd> RunAsync(CancellationToken cancellationToken)
    {
        using var running = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        lock (_lock)
        {
            _running = running;
            if (_ending is not null)
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
            foreach (var side in _source.Sides)
            {
                side.Acted -= Act;
            }

            lock (_lock)
            {
                _running = null;
            }
        }
    }

    /// <summary>A player gives up: the match ends where it is, lost by that player and won by the others.</summary>
    /// <param name="player">Its id in the description.</param>
    public void Forfeit(uint player) => EndWith(() => _endings.Forfeited(player, Progress));

    /// <summary>The match ends where it is, with no result, because another one shall begin.</summary>
    public void Restart() => EndWith(() => _endings.Of(V1.EndReason.Restarted, Progress));

    /// <summary>The match ends at once without a result, because no agent plays it any more.</summary>
    public void Abandon() => EndWith(() => _endings.Of(V1.EndReason.NoAgent, Progress));

    private void Act(ActionReport report) => _hub.Events.Act(_hub.CurrentMatch.Budget, report);

    // Only the first call counts, and none after the end.
    private void EndWith(Func<V1.MatchEnd> ending)
    {
        lock (_lock)
        {
            _ending ??= ending;
            _ = _running?.CancelAsync();
        }
    }

    private async Task<V1.MatchEnd> RunAsync(CancellationToken running, CancellationToken stopped)
    {
        V1.MatchEnd end;
        try
        {
            end = await FollowAsync(running);
        }
        catch (OperationCanceledException) when (stopped.IsCancellationRequested)
        {
            end = _endings.Of(V1.EndReason.Stopped, Progress);
        }
        catch (OperationCanceledException) when (running.IsCancellationRequested)
        {
            end = _ending!();
        }
        catch (GameException failure)
        {
            StreamingLog.GameFailed(_hub.Logger, _source.Description.MatchId, failure);
            end = _endings.Of(V1.EndReason.Failed, Progress, failure.Message);
        }
        catch (Exception failure)
        {
            StreamingLog.MatchFailed(_hub.Logger, _source.Description.MatchId, failure);
            _hub.End(_endings.Of(V1.EndReason.Failed, Progress, $"The bridge failed: {failure.Message}"));
            throw;
        }

        end.NextFollows = NextFollows;
        _hub.End(end);
        return end;
    }

    private async Task<V1.MatchEnd> FollowAsync(CancellationToken ct)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var running = _sides.ToDictionary(side => side.FollowAsync(stop.Token));
        var ends = new List<V1.MatchEnd>();
        var deadline = _hub.Options.LockstepDeadline;
        GameException? failure = null;
        while (running.Count > 0)
        {
            var done = await Task.WhenAny(running.Keys);
            running.Remove(done, out var side);
            try
            {
                if (await done is { } end)
                {
                    ends.Add(end);
                    if (end.Aborted && running.Count > 0)
                    {
                        // A player that has given up leaves, so that the game reports the result to the others.
                        await side!.Side.DisposeAsync();
                    }
                }

                stop.CancelAfter(deadline == Timeout.InfiniteTimeSpan ? EndPatience : deadline + EndPatience);
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested && !ct.IsCancellationRequested)
            {
                // Another side has come to its end, or failed, and this one could not go on.
            }
            catch (GameException failed)
            {
                // Later failures only follow from the first.
                failure ??= Named(failed, side!);
                await stop.CancelAsync();
            }
            catch
            {
                await stop.CancelAsync();
                await ((Task)Task.WhenAll(running.Keys)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                throw;
            }
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        return ends.Count > 0 ? MatchEndings.Together(ends) : _endings.Of(V1.EndReason.StepLimit, Progress);
    }

    private GameException Named(GameException failure, SideRunner runner) => _sides.Length == 1
        ? failure
        : new GameException(
            $"Player {runner.Side.Description.Perspectives[0]}'s game failed: {failure.Message}", failure);
}
