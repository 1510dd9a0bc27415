using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;
using Action = System.Action;

namespace Sc2Bridge.Games;

/// <summary>
/// A replay (<c>.SC2Replay</c>) as a game plays it: observed like a match, with the eyes of one of its players or of an
/// observer of all, to its end. It is its own pace: it can be held, stepped, paced and moved forward while it plays.
/// </summary>
/// <remarks>In real time the game's own clock runs it, and nothing of that can be done.</remarks>
public sealed class ReplaySource : IGameSource, IPace, IPlayback
{
    private readonly Lock _gate = new();
    private readonly TurnWait _turn;
    private readonly Replay _replay;
    private readonly ReplaySettings _settings;
    private readonly ReplayGame _game;
    private readonly bool _keepsGame;
    private OpenedReplay? _opened;
    private V1.MatchDescription? _description;
    private ObservationPoller? _follower;
    private ReplayPlay? _play;
    private ulong _given;
    private bool _disposed;

    /// <summary>A replay to be watched.</summary>
    /// <param name="replay">The replay.</param>
    /// <param name="settings">How.</param>
    /// <param name="game">The game that plays it; taken over unless it is kept.</param>
    /// <param name="keepsGame">The game is left for the next replay, and is the caller's to end.</param>
    /// <exception cref="GameException">A setting is not possible; the message names it.</exception>
    public ReplaySource(Replay replay, ReplaySettings settings, ReplayGame game, bool keepsGame = false)
    {
        ArgumentNullException.ThrowIfNull(replay);
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentNullException.ThrowIfNull(game);
        settings.Validate();
        (_replay, _settings, _game, _keepsGame) = (replay, settings, game, keepsGame);
        _turn = new TurnWait(_gate, now => Play.DueNs(now));
    }

    /// <inheritdoc/>
    public V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public V1.MatchEnd? End { get; private set; }

    /// <inheritdoc/>
    public IPlayback? Playback => _settings.Rate.Realtime ? null : this;

    /// <summary>How many game loops it has, as far as is known before its end; 0 where that is not known.</summary>
    public uint Loops => _opened?.Info?.GameDurationLoops ?? 0;

    private ReplayPlay Play => _play ?? throw NotStarted();

    /// <inheritdoc/>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var opened = await _game.OpenAsync(_replay, cancellationToken);
        _opened = opened;
        var name = _settings.Match ?? $"replay-{Guid.NewGuid():N}"[..15];
        var loops = opened.Info is { GameDurationLoops: > 0 } info ? info.GameDurationLoops : GameEnding.LastLoop;
        _play = new ReplayPlay(_replay.Path, name, _settings, loops);
        await ReplayStart.RunAsync(opened, _settings, _game.Installation, cancellationToken);
        _description = await ReplayDescription.MakeAsync(opened, _settings, name, cancellationToken);
        _follower = new ObservationPoller(opened.Game.Client, _settings.Following, name, _settings.Observe);
    }

    /// <inheritdoc/>
    public ValueTask WaitAsync(long? lastAskedNs, Action soon, CancellationToken cancellationToken) =>
        _turn.WaitAsync(soon, cancellationToken);

    /// <inheritdoc/>
    public async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        var follower = _follower ?? throw NotStarted();
        var (step, jump) = await TurnAsync(cancellationToken);
        if (step is null)
        {
            return Ended("range end", follower);
        }

        if (step > _given)
        {
            await follower.SkipToAsync(step.Value, cancellationToken);
        }

        var frame = await follower.NextAsync(cancellationToken);
        if (frame is null)
        {
            return Ended(null, follower);
        }

        _given = step.Value + 1;
        frame.Jump = jump;
        return frame;
    }

    /// <inheritdoc/>
    public V1.PlaybackState Control(V1.ControlRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        lock (_gate)
        {
            if (_disposed)
            {
                throw new RequestRefusedException(StatusCode.Unavailable, "the playback is over");
            }

            Play.Obey(request, MonotonicClock.NowNs);
            if (request.CommandCase != V1.ControlRequest.CommandOneofCase.None)
            {
                _turn.Changed();
            }

            return Play.State();
        }
    }

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        _opened is { } opened && _description is { } match
            ? opened.Game.AskForAgentAsync(match, perspective, request, ct)
            : Task.FromException<Response>(
                new RequestRefusedException(StatusCode.FailedPrecondition, NotStarted().Message));

    /// <summary>Ends the game that was started for it, or leaves it for the next replay.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            if (_disposed)
            {
                return ValueTask.CompletedTask;
            }

            _disposed = true;
            _turn.Dispose();
        }

        return _keepsGame ? ValueTask.CompletedTask : _game.DisposeAsync();
    }

    private static InvalidOperationException NotStarted() => new("The replay has not been started.");

    // The step to ask for, when its time has come; null where no more is to be watched.
    private async ValueTask<(ulong? Step, V1.PlaybackState? Jump)> TurnAsync(CancellationToken ct)
    {
        while (true)
        {
            await _turn.WaitAsync(static () => { }, ct);
            lock (_gate)
            {
                var now = MonotonicClock.NowNs;
                if (Play.IsPast)
                {
                    return (null, null);
                }

                if (Play.DueNs(now) <= now)
                {
                    var step = Play.Next;
                    return (step, Play.Give(now));
                }
            }

            // Held or moved since.
        }
    }

    // No frame: the replay's end, or that of what is watched of it.
    private ObservationFrame? Ended(string? reason, ObservationPoller follower)
    {
        var end = follower.End?.Clone() ?? new V1.MatchEnd { MatchId = Description.MatchId, Reason = reason ?? "" };
        if (reason is not null)
        {
            end.Step = _given == 0 ? 0 : _given - 1;
            end.GameLoop = (uint)(end.Step * _settings.StepSize);
        }
        else if (_given <= 1 && end.GameLoop + _settings.StepSize < Loops)
        {
            throw new GameException(
                $"The replay {_replay.Path} ended at once, at game loop {end.GameLoop} of {Loops}: the game does not "
                + $"play it ({_opened!.Ping.GameVersion} plays what was played in {_opened.GameVersion}).");
        }
        else
        {
            ReplayDescription.Complete(end.Results, _opened!.Info);
        }

        End = end;
        return null;
    }
}
