using Google.Protobuf.Collections;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A replay (<c>.SC2Replay</c>) as a game plays it: observed like a match, with the eyes of one of its players or of an
/// observer of all, to its end. It is not moved back.
/// </summary>
/// <remarks>In real time the game's own clock runs it, and nothing of that can be done.</remarks>
public sealed class ReplaySource : PlaybackSource, IGameSource
{
    // Game loops in one request: more would take so long that the game would seem to hang.
    private const uint LongestSkip = 2240;

    private readonly Replay _replay;
    private readonly ReplaySettings _settings;
    private readonly ReplayGame _game;
    private readonly bool _keepsGame;
    private OpenedReplay? _opened;
    private V1.MatchDescription? _description;
    private ObservationPoller? _poller;
    private ReplayPlay? _play;
    private V1.MatchEnd? _end;
    private ulong _given;

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
    }

    /// <inheritdoc/>
    public override V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public override V1.MatchEnd? End => _end;

    /// <inheritdoc/>
    public IPlayback? Playback => _settings.Rate.Realtime ? null : this;

    /// <summary>How many game loops it has, as far as is known before its end; 0 where that is not known.</summary>
    public uint Loops => _opened?.Info?.GameDurationLoops ?? 0;

    /// <inheritdoc/>
    private protected override SteppedPlay Play => _play ?? throw NotStarted();

    /// <inheritdoc/>
    public override async Task StartAsync(CancellationToken cancellationToken)
    {
        var opened = await _game.OpenAsync(_replay, cancellationToken);
        _opened = opened;
        var name = _settings.Match ?? $"replay-{Guid.NewGuid():N}"[..15];
        var loops = opened.Info is { GameDurationLoops: > 0 } info ? info.GameDurationLoops : GameEnding.LastLoop;
        _play = new ReplayPlay(_replay.Path, name, _settings, loops);
        await ReplayStart.RunAsync(opened, _settings, _game.Installation, cancellationToken);
        _description = await DescribeAsync(opened, name, cancellationToken);
        _poller = new ObservationPoller(opened.Game.Client, _settings.Following, name, _settings.Observe);
    }

    /// <inheritdoc/>
    public override async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        var poller = _poller ?? throw NotStarted();
        var (step, jump) = await InTurnAsync(Give, cancellationToken);
        if (step is null)
        {
            return Ended(V1.EndReason.RangeEnd, poller);
        }

        if (step > _given)
        {
            await SkipToAsync(poller, step.Value, cancellationToken);
        }

        var frame = await poller.NextAsync(cancellationToken);
        if (frame is null)
        {
            return Ended(V1.EndReason.Finished, poller);
        }

        _given = step.Value + 1;
        frame.Jump = jump;
        return frame;
    }

    /// <inheritdoc/>
    public override Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        RunningGame.AskForAgentAsync(_opened?.Game, _description, perspective, request, ct);

    /// <inheritdoc/>
    private protected override ValueTask CloseAsync() =>
        _keepsGame ? ValueTask.CompletedTask : _game.DisposeAsync();

    private static InvalidOperationException NotStarted() => new("The replay has not been started.");

    // The step to ask for; null where no more is to be watched.
    private (ulong? Step, V1.PlaybackState? Jump) Give(long now)
    {
        if (_play!.IsPast)
        {
            return (null, null);
        }

        var step = _play.Next;
        return (step, _play.Give(now));
    }

    // Steps without observing. The observation of the later step has the events of the steps between, as the game reports them.
    private async Task SkipToAsync(ObservationPoller poller, ulong step, CancellationToken ct)
    {
        var client = _opened!.Game.Client;
        var observations = poller.Observations;
        for (var left = (step - Math.Max(observations.NextStep, 1)) * _settings.StepSize; left > 0 && client.Status != Status.Ended;)
        {
            var count = (uint)Math.Min(left, LongestSkip);
            try
            {
                await client.SendAsync(new Request { Step = new RequestStep { Count = count } }, ct);
            }
            catch (GameRequestException refused) when (GameEnding.Says(refused.Errors))
            {
                break;
            }

            left -= count;
        }

        observations.NextStep = step;
    }

    // No frame: the replay's end, or that of what is watched of it.
    private ObservationFrame? Ended(V1.EndReason reason, ObservationPoller poller)
    {
        var end = poller.End?.Clone() ?? new V1.MatchEnd { MatchId = Description.MatchId, Reason = reason };
        if (reason == V1.EndReason.RangeEnd)
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
            Complete(end.Results, _opened!.Info);
        }

        _end = end;
        return null;
    }

    private async Task<V1.MatchDescription> DescribeAsync(OpenedReplay opened, string name, CancellationToken ct)
    {
        var facts = await GameFacts.AskAsync(opened.Game.Client, opened.Ping, ct);
        var description = facts.Describe(
            _settings.Following with { Match = name }, _settings.Observe, V1.PlayerKind.Participant);
        description.Replay = Path.GetFileName(opened.Replay.Path);
        if (opened.Info is { PlayerInfo.Count: > 0 } info)
        {
            var players = info.PlayerInfo.Select(player => player.PlayerInfo).OfType<PlayerInfo>();
            description.Players.Clear();
            description.Players.Add(GameFacts.Players(players, V1.PlayerKind.Participant));
        }

        return description;
    }

    // Adds the results that the replay tells and its last observations do not.
    private static void Complete(RepeatedField<PlayerResult> results, ResponseReplayInfo? info)
    {
        foreach (var told in info?.PlayerInfo.Select(player => player.PlayerResult).OfType<PlayerResult>() ?? [])
        {
            var seen = results.FirstOrDefault(result => result.PlayerId == told.PlayerId);
            if (seen is null)
            {
                results.Add(told);
            }
            else if (seen.Result == Result.Undecided)
            {
                seen.Result = told.Result;
            }
        }
    }
}
