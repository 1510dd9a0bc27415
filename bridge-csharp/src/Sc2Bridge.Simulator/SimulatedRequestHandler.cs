using System.Buffers;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Simulator.Patches;

namespace Sc2Bridge.Simulator;

/// <summary>
/// Runs a <see cref="SimulatedGame"/>: answers requests when they can be answered, advances a real-time game that another
/// process waits for, and connects the two processes.
/// </summary>
public sealed class SimulatedRequestHandler : TimedRequestHandler
{
    private const int LongStep = 100;

    private readonly Lock _gate = new();
    private readonly SimulatedGame _game;
    private readonly PatchedAnswers? _patched;
    private readonly SimulatorOptions _options;
    private readonly TaskCompletionSource _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stopping = new();
    private readonly List<Task> _running = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private PeerSocket? _peer;

    /// <summary>Creates a game in the state <c>launched</c>.</summary>
    /// <param name="options">How the game is started.</param>
    /// <exception cref="ArgumentException">The folder of observations cannot be used.</exception>
    public SimulatedRequestHandler(SimulatorOptions options)
        : base(options.Clock, LongStep)
    {
        (_options, _game) = (options, new SimulatedGame(options));
        _patched = options.PatchDay is { } seed ? new PatchedAnswers(_game, seed) : null;
    }

    /// <inheritdoc/>
    public override Task Failure => _failed.Task;

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        RunExclusively(() => _peer?.Finish());
        await _stopping.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_running).ConfigureAwait(false);
        _stopping.Dispose();
    }

    /// <inheritdoc/>
    /// <exception cref="SimulatedGameException">The game failed.</exception>
    protected override void Begin(Request request, CancellationToken left) => InGame(request, () => _game.Begin(request, left));

    /// <inheritdoc/>
    /// <exception cref="SimulatedGameException">The game failed.</exception>
    protected override bool TryFinish(
        Request request, IBufferWriter<byte> response, CancellationToken left, out Task wait)
    {
        var (done, waits) = (false, Task.CompletedTask);
        InGame(request, () =>
        {
            done = _patched?.TryFinish(request, response) ?? _game.TryFinish(response);
            UpdatePeer();
            waits = done ? waits : WaitAsync(_changed.Task, DelayAsync(_game.WakeIn, left));
        });
        wait = waits;
        return done;
    }

    /// <inheritdoc/>
    protected override async ValueTask<RequestOutcome> FinishAsync(CancellationToken left)
    {
        if (_game.ProcessTest is { } test)
        {
            await FailAsync(test, left).ConfigureAwait(false);
            return RequestOutcome.Died;
        }

        return _game.Status == Status.Quit ? RequestOutcome.Quit : RequestOutcome.Answered;
    }

    /// <inheritdoc/>
    protected override void Abandon() => RunExclusively(_game.Abandon);

    private static async Task WaitAsync(Task changed, Task due) =>
        await (await Task.WhenAny(changed, due).ConfigureAwait(false)).ConfigureAwait(false);

    // A debug command of clients' tests: the process stops answering or exits.
    private async Task FailAsync(DebugTestProcess test, CancellationToken left)
    {
        var delay = TimeSpan.FromMilliseconds(Math.Max(0, test.DelayMs));
        await Task.Delay(delay, _options.Clock, left).ConfigureAwait(false);
        if (test.Test == DebugTestProcess.Types.Test.Hang)
        {
            await Task.Delay(Timeout.Infinite, left).ConfigureAwait(false);
        }
    }

    // Runs a step of answering a request. If it throws, the new exception names the request.
    private void InGame(Request request, System.Action what)
    {
        try
        {
            lock (_gate)
            {
                what();
            }
        }
        catch (Exception failure) when (failure is not OperationCanceledException)
        {
            throw Failed(ApiState.NameOf(request.RequestCase), failure);
        }
    }

    // Runs an action with exclusive access to the game, and wakes requests that wait for a change.
    private void RunExclusively(System.Action what)
    {
        lock (_gate)
        {
            try
            {
                what();
                _game.Advance();
                UpdatePeer();
            }
            catch (Exception failure)
            {
                _failed.TrySetException(Failed("no request", failure));
            }

            _changed.TrySetResult();
            _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    // A match with another process may have started or ended, and its link may have data to send.
    private void UpdatePeer()
    {
        _peer?.Flush();
        if (ReferenceEquals(_game.Link, _peer?.Link))
        {
            return;
        }

        _peer?.Finish();
        _peer = _game.Link is { } link ? new PeerSocket(link, RunExclusively, _options.LongestJoin) : null;
        if (_peer is { } peer)
        {
            peer.Flush();
            _running.RemoveAll(task => task.IsCompleted);
            _running.Add(Task.Run(() => peer.RunAsync(_stopping.Token)));
            _running.Add(Task.Run(() => TickAsync(peer)));
        }
    }

    // The other process waits for this process' clock, even if this process' client sends no request.
    private async Task TickAsync(PeerSocket peer)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(0.5 / LoopClock.LoopsPerSecond), _options.Clock);
        try
        {
            while (await timer.WaitForNextTickAsync(_stopping.Token).ConfigureAwait(false))
            {
                lock (_gate)
                {
                    if (!ReferenceEquals(_peer, peer) || peer.Link.Failure is not null)
                    {
                        return;
                    }

                    if (peer.Link.Setup is { Realtime: false })
                    {
                        return;
                    }

                    _game.Advance();
                    peer.Flush();
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The game is over.
        }
        catch (Exception failure)
        {
            _failed.TrySetException(Failed("no request", failure));
        }
    }

    private SimulatedGameException Failed(string request, Exception cause) =>
        new(request, _game.Match?.World.Loop ?? 0, cause);
}
