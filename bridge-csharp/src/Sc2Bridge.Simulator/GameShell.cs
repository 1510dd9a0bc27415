using System.Buffers;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Multiplayer;

namespace Sc2Bridge.Simulator;

/// <summary>
/// Runs a <see cref="GameApi"/>: answers requests when they can be answered, keeps a real-time game going that another
/// process waits for, and connects the two.
/// </summary>
internal sealed class GameShell : IAsyncDisposable
{
    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(1);
    private readonly Lock _gate = new();
    private readonly GameApi _game;
    private readonly SimulatorOptions _options;
    private readonly Action<SimulatedGameException> _failed;
    private readonly CancellationTokenSource _stopping = new();
    private readonly List<Task> _running = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private PeerSocket? _peer;

    /// <summary>A game that was just launched.</summary>
    /// <param name="options">How.</param>
    /// <param name="failed">Told where the game fails while it answers no request.</param>
    /// <exception cref="ArgumentException">The folder of observations cannot be used.</exception>
    public GameShell(SimulatorOptions options, Action<SimulatedGameException> failed) =>
        (_options, _failed, _game) = (options, failed, new GameApi(options));

    /// <summary>Where the game is.</summary>
    public Status Status
    {
        get
        {
            lock (_gate)
            {
                return _game.Status;
            }
        }
    }

    /// <summary>What a debug command asked of the process; null where none did.</summary>
    public DebugTestProcess? ProcessTest => _game.ProcessTest;

    /// <summary>Answers a request, once it can be.</summary>
    /// <param name="request">Any.</param>
    /// <param name="response">Takes the serialized Response.</param>
    /// <param name="left">The client has gone.</param>
    /// <returns>False where it has gone meanwhile.</returns>
    /// <exception cref="SimulatedGameException">The game failed.</exception>
    public async ValueTask<bool> AnswerAsync(Request request, IBufferWriter<byte> response, CancellationToken left)
    {
        try
        {
            lock (_gate)
            {
                _game.Begin(request, left);
            }

            while (!TryFinish(response, out var changed, out var wake))
            {
                // A timer may end a moment before the clock says so, and another process may be behind it.
                var due = wake is { } rest
                    ? Task.Delay(rest > Shortest ? rest : Shortest, _options.Clock, left)
                    : Task.Delay(Timeout.Infinite, left);
                await (await Task.WhenAny(changed, due).ConfigureAwait(false)).ConfigureAwait(false);
            }

            return true;
        }
        catch (OperationCanceledException) when (left.IsCancellationRequested)
        {
            Touch(_game.Abandon);
            return false;
        }
        catch (Exception failure)
        {
            throw Failure(ApiState.NameOf(request.RequestCase), failure);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        Touch(() => _peer?.Finish());
        await _stopping.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_running).ConfigureAwait(false);
        _stopping.Dispose();
    }

    private bool TryFinish(IBufferWriter<byte> response, out Task changed, out TimeSpan? wake)
    {
        lock (_gate)
        {
            var done = _game.TryFinish(response);
            Follow();
            (changed, wake) = (_changed.Task, _game.WakeIn);
            return done;
        }
    }

    // Runs something inside the game, and wakes who waits for it.
    private void Touch(System.Action what)
    {
        lock (_gate)
        {
            try
            {
                what();
                _game.Advance();
                Follow();
            }
            catch (Exception failure)
            {
                _failed(Failure("no request", failure));
            }

            _changed.TrySetResult();
            _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    // The game may have begun or ended to play with another process, and has things to tell it.
    private void Follow()
    {
        _peer?.Flush();
        if (ReferenceEquals(_game.Link, _peer?.Link))
        {
            return;
        }

        _peer?.Finish();
        _peer = _game.Link is { } link ? new PeerSocket(link, Touch, _options.LongestJoin) : null;
        if (_peer is { } peer)
        {
            peer.Flush();
            _running.RemoveAll(task => task.IsCompleted);
            _running.Add(Task.Run(() => peer.RunAsync(_stopping.Token)));
            _running.Add(Task.Run(() => TickAsync(peer)));
        }
    }

    // The other process waits for this one's clock, whether this one's client asks for anything or not.
    private async Task TickAsync(PeerSocket peer)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(0.5 / LoopClock.LoopsASecond), _options.Clock);
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
            _failed(Failure("no request", failure));
        }
    }

    private SimulatedGameException Failure(string request, Exception cause) =>
        new(request, _game.Match?.World.Loop ?? 0, cause);
}
