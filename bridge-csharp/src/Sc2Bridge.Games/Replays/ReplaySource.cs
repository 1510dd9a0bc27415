using Google.Protobuf.Collections;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A replay (<c>.SC2Replay</c>) that a game plays. The replay is observed like a match until its end, from the perspective of one
/// of its players or of an observer of all. The replay cannot be moved back.
/// </summary>
/// <remarks>In real time, the game's own clock runs the replay, and the replay cannot be paused or moved.</remarks>
public sealed class ReplaySource : PlaybackSource, IGameSource
{
    // The largest step in one request, in game loops. A larger step would take so long that the game would seem to hang.
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
    private ulong _nextStep;

    /// <summary>Prepares a replay.</summary>
    /// <param name="replay">The replay.</param>
    /// <param name="settings">How the replay is watched.</param>
    /// <param name="game">The game that plays the replay. This source ends the game, unless keepsGame is true.</param>
    /// <param name="keepsGame">Whether the game is kept for the next replay. If so, the caller ends the game.</param>
    /// <exception cref="GameException">A setting is not possible. The message names it.</exception>
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

    /// <summary>The replay's length in game loops; 0 if the game does not report it before the end.</summary>
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
        _poller = new ObservationPoller(opened.Game.Client, _settings.ObservationSettings, name, _settings.Observe);
    }

    /// <inheritdoc/>
    public override async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        var poller = _poller ?? throw NotStarted();
        var (step, jump) = await WhenDueAsync(BeginStep, cancellationToken);
        if (step is null)
        {
            return FinishPlayback(V1.EndReason.RangeEnd, poller);
        }

        if (step > _nextStep)
        {
            await SkipToAsync(poller, step.Value, cancellationToken);
        }

        var frame = await poller.NextAsync(cancellationToken);
        if (frame is null)
        {
            return FinishPlayback(V1.EndReason.Finished, poller);
        }

        _nextStep = step.Value + 1;
        frame.Jump = jump;
        return frame;
    }

    /// <inheritdoc/>
    public override Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        RunningGame.AskForAgentAsync(_opened?.Game, _description, perspective, request, ct);

    /// <inheritdoc/>
    private protected override ValueTask CloseAsync() =>
        _keepsGame ? ValueTask.CompletedTask : _game.DisposeAsync();

    private static InvalidOperationException NotStarted() => new("The replay has not been started: call StartAsync first.");

    // The step to request; null after the end of the range.
    private (ulong? Step, V1.PlaybackState? Jump) BeginStep(long now)
    {
        if (_play!.IsPastRange)
        {
            return (null, null);
        }

        var step = _play.NextStep;
        return (step, _play.BeginStep(now));
    }

    // Steps the game without requesting observations. The game includes the events of the skipped steps in the next observation.
    private async Task SkipToAsync(ObservationPoller poller, ulong step, CancellationToken ct)
    {
        var client = _opened!.Game.Client;
        var observations = poller.Observations;
        for (var remainingLoops = (step - Math.Max(observations.NextStep, 1)) * _settings.StepSize; remainingLoops > 0 && client.Status != Status.Ended;)
        {
            var count = (uint)Math.Min(remainingLoops, LongestSkip);
            try
            {
                await client.SendAsync(new Request { Step = new RequestStep { Count = count } }, ct);
            }
            catch (GameRequestException refused) when (GameEnding.IsReportedIn(refused.Errors))
            {
                break;
            }

            remainingLoops -= count;
        }

        observations.NextStep = step;
    }

    // Sets <c>End</c>, because the replay or the watched range of the replay has no further frame. Returns null.
    private ObservationFrame? FinishPlayback(V1.EndReason reason, ObservationPoller poller)
    {
        var end = poller.End?.Clone() ?? new V1.MatchEnd { MatchId = Description.MatchId, Reason = reason };
        if (reason == V1.EndReason.RangeEnd)
        {
            end.Step = _nextStep == 0 ? 0 : _nextStep - 1;
            end.GameLoop = (uint)(end.Step * _settings.StepSize);
        }
        else if (_nextStep <= 1 && end.GameLoop + _settings.StepSize < Loops)
        {
            throw new GameException(
                $"The replay {_replay.Path} ended at once, at game loop {end.GameLoop} of {Loops}: the game cannot "
                + $"play it (the game has version {_opened!.Ping.GameVersion}, the replay {_opened.GameVersion}).");
        }
        else
        {
            AddResults(end.Results, _opened!.Info);
        }

        _end = end;
        return null;
    }

    private async Task<V1.MatchDescription> DescribeAsync(OpenedReplay opened, string name, CancellationToken ct)
    {
        var facts = await GameFacts.AskAsync(opened.Game.Client, opened.Ping, ct);
        var description = facts.Describe(
            _settings.ObservationSettings with { Match = name }, _settings.Observe, V1.PlayerKind.Participant);
        description.Replay = Path.GetFileName(opened.Replay.Path);
        if (opened.Info is { PlayerInfo.Count: > 0 } info)
        {
            var players = info.PlayerInfo.Select(player => player.PlayerInfo).OfType<PlayerInfo>();
            description.Players.Clear();
            description.Players.Add(GameFacts.Players(players, V1.PlayerKind.Participant));
        }

        return description;
    }

    // Adds results that are in the information about the replay but not in the replay's last observations.
    private static void AddResults(RepeatedField<PlayerResult> results, ResponseReplayInfo? info)
    {
        foreach (var known in info?.PlayerInfo.Select(player => player.PlayerResult).OfType<PlayerResult>() ?? [])
        {
            var seen = results.FirstOrDefault(result => result.PlayerId == known.PlayerId);
            if (seen is null)
            {
                results.Add(known);
            }
            else if (seen.Result == Result.Undecided)
            {
                seen.Result = known.Result;
            }
        }
    }
}
