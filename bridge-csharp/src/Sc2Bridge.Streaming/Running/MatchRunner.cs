using System.Runtime.ExceptionServices;

namespace Sc2Bridge.Streaming;

/// <summary>The progress of one side since its start. The progress of a match has the sums of the frames and bytes of all sides.</summary>
/// <param name="Frames">The number of published observations.</param>
/// <param name="GameLoop">The game loop of the newest observation.</param>
/// <param name="Bytes">The total bytes of all observations.</param>
/// <param name="LastBytes">The bytes of the newest observation.</param>
/// <param name="Step">The step of the newest observation.</param>
public readonly record struct MatchProgress(ulong Frames, uint GameLoop, long Bytes, int LastBytes, ulong Step);

/// <summary>
/// Runs a match: reads observations from a source, each side independently, and publishes them to a hub. Ends the match in
/// the hub, once for all sides.
/// </summary>
/// <remarks>
/// If the hub waits for a subscriber (lockstep, pause), only the side of the published observation is delayed at first. The game then
/// delays the other sides, so the slowest side sets the speed. A side that fails ends the match for all sides.
/// </remarks>
public sealed class MatchRunner
{
    // How long the other sides may take to end after the first side, in addition to the lockstep deadline.
    private static readonly TimeSpan EndPatience = TimeSpan.FromSeconds(5);

    private readonly IGameSource _source;
    private readonly Hub _hub;
    private readonly SideRunner[] _sides;
    private readonly MatchEndings _endings;
    private readonly Lock _lock = new();
    private CancellationTokenSource? _runCancellation;
    private Func<V1.MatchEnd>? _createEnd;

    /// <summary>Creates a runner for one match.</summary>
    /// <param name="source">The source of observations; the caller disposes it.</param>
    /// <param name="hub">The hub to publish to; the caller disposes it.</param>
    /// <param name="rate">The rate of each side that is not an <see cref="IPace"/>.</param>
    /// <param name="stepLimit">The most observations to publish per side; 0 for no limit.</param>
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

    /// <summary>Whether the match's end announces to agents that another match follows.</summary>
    public bool NextFollows { get; init; }

    /// <summary>The progress. Thread-safe.</summary>
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
    /// Completes when the game of a side has ended unexpectedly, even before the match runs. A running match then ends at
    /// once. The task never fails. Read this property after <see cref="StartAsync"/> has completed.
    /// </summary>
    public Task Failed => Task.WhenAny(_sides.Select(side => side.Side.Failed));

    /// <summary>The game's failure that ended the match; null if the game did not fail.</summary>
    public GameException? Failure { get; private set; }

    /// <summary>Starts the source, and announces its match to the hub.</summary>
    /// <exception cref="GameException">The game could not be started.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        // The listeners are added before the source starts, because a bot that connects during the start may act at once.
        foreach (var side in _source.Sides)
        {
            side.Acted += OnActed;
        }

        await _source.StartAsync(cancellationToken);
        _hub.Announce(_source.Description, _source, _source.Playback, _source.GameInfo);
    }

    /// <summary>Runs the started match to its end, and always ends it in the hub.</summary>
    /// <param name="cancellationToken">Stops the match. This is a normal end (END_REASON_STOPPED).</param>
    /// <returns>
    /// How the match ended: with results, at the step limit, stopped, or aborted. The detail of an aborted match is the game's
    /// failure, as one line that says what to do.
    /// </returns>
    public async Task<V1.MatchEnd> RunAsync(CancellationToken cancellationToken)
    {
        using var running = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        lock (_lock)
        {
            _runCancellation = running;
            if (_createEnd is not null)
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
                side.Acted -= OnActed;
            }

            lock (_lock)
            {
                _runCancellation = null;
            }
        }
    }

    /// <summary>Ends the match now because a player forfeits: that player has lost, and the other players have won.</summary>
    /// <param name="player">The player's id in the description.</param>
    public void Forfeit(uint player) => EndWith(() => _endings.CreateForfeit(player, Progress));

    /// <summary>Ends the match now without a result, because the match will be restarted.</summary>
    public void Restart() => EndWith(() => _endings.Create(V1.EndReason.Restarted, Progress));

    /// <summary>Ends the match now without a result, because no agent plays any more.</summary>
    public void Abandon() => EndWith(() => _endings.Create(V1.EndReason.NoAgent, Progress));

    private void OnActed(ActionReport report) => _hub.Events.RaiseActed(_hub.CurrentMatch.RecordingBudget, report);

    // Only the first call has an effect, and only before the match has ended.
    private void EndWith(Func<V1.MatchEnd> ending)
    {
        lock (_lock)
        {
            _createEnd ??= ending;
            _ = _runCancellation?.CancelAsync();
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
            end = _endings.Create(V1.EndReason.Stopped, Progress);
        }
        catch (OperationCanceledException) when (running.IsCancellationRequested)
        {
            end = _createEnd!();
        }
        catch (GameException failure)
        {
            Failure = failure;
            StreamingLog.GameFailed(_hub.Logger, _source.Description.MatchId, failure);
            end = _endings.Create(V1.EndReason.Failed, Progress, failure.Message);
        }
        catch (Exception failure)
        {
            StreamingLog.MatchFailed(_hub.Logger, _source.Description.MatchId, failure);
            _hub.End(_endings.Create(V1.EndReason.Failed, Progress, $"The bridge failed: {failure.Message}"));
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
                        // The player has left. Dispose its side, so that the game reports the result to the other players.
                        await side!.Side.DisposeAsync();
                    }
                }

                stop.CancelAfter(deadline == Timeout.InfiniteTimeSpan ? EndPatience : deadline + EndPatience);
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested && !ct.IsCancellationRequested)
            {
                // Another side has ended or failed, so this side could not continue.
            }
            catch (GameException failed)
            {
                // Only the first failure is reported, because later failures follow from it.
                failure ??= WithPlayer(failed, side!);
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

        return ends.Count > 0 ? MatchEndings.Combine(ends) : _endings.Create(V1.EndReason.StepLimit, Progress);
    }

    private GameException WithPlayer(GameException failure, SideRunner runner) => _sides.Length == 1
        ? failure
        : new GameException(
            $"Player {runner.Side.Description.Perspectives[0]}'s game failed: {failure.Message}", failure)
        {
            Fault = failure.Fault,
            ExitCode = failure.ExitCode,
            Player = runner.Side.Description.Perspectives[0],
        };
}
