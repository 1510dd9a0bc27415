using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Acting;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>How a bot has joined.</summary>
/// <param name="Perspective">Whose eyes it has: its player id, or the one that it observes.</param>
/// <param name="Plays">Whether it plays.</param>
/// <param name="Created">The match, where the bot has created it itself; else null.</param>
/// <param name="Name">Which of the match's bots it is: "bot 2", or "bot" where there is one side.</param>
internal sealed record JoinedBot(uint Perspective, bool Plays, RequestCreateGame? Created, string Name);

/// <summary>
/// A match that a bot plays through the bridge: what its requests mean for the match, and how it ends. No I/O but what
/// it asks of the game.
/// </summary>
/// <param name="options">What the bot is held to.</param>
/// <param name="shared">What it has in common with the other side's client; null where there is none.</param>
/// <param name="create">Creates the match where the bot does not.</param>
/// <param name="maps">The game's folder of maps; null where it is not known.</param>
internal sealed class ProxiedMatch(
    ProxyOptions options, SharedMatch? shared, Func<GameClient, CancellationToken, Task> create,
    Func<string?>? maps = null)
{
    private readonly TaskCompletionSource<GameClient> _game = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<JoinedBot> _joined = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private RequestCreateGame? _created;
    private MatchObservations? _observations;
    private volatile bool _left;

    /// <inheritdoc cref="IGameSource.Acted"/>
    public event Action<ActionReport>? Acted;

    /// <summary>The game, once it answers.</summary>
    public Task<GameClient> Game => _game.Task;

    /// <summary>How the bot has joined, once it has.</summary>
    public Task<JoinedBot> Joined => _joined.Task;

    /// <summary>What the bot is held to.</summary>
    public ProxyOptions Options => options;

    /// <summary>The observations on their way to the other agents.</summary>
    public FrameHandoff Frames { get; } = new();

    /// <summary>What is added to each request.</summary>
    public RequestFigures Figures { get; } = new();

    /// <summary>Which requests go to the game, and how.</summary>
    public BotRequestRules Rules { get; } = new(options.Ladder, shared, maps);

    /// <summary>The newest observation's game loop.</summary>
    public uint GameLoop => _observations?.GameLoop ?? 0;

    // Known by its player where there may be another.
    private string Who => shared is not null && Joined.IsCompletedSuccessfully ? Joined.Result.Name : "the bot";

    private ulong Step => _observations?.Step ?? 0;

    /// <summary>The game answers.</summary>
    public void Open(GameClient game) => _game.TrySetResult(game);

    /// <summary>The match has its name: observations can be asked for.</summary>
    public void Begin(string name, uint perspective) => _observations = new MatchObservations(name, perspective);

    /// <summary>Why the bridge does not pass a request on; null where it does.</summary>
    public string? Refusal(Request request)
    {
        if (request.RequestCase == Kind.None)
        {
            return "Request has no content: set one of its request fields";
        }

        if (request.RequestCase is Kind.StartReplay or Kind.RestartGame or Kind.QuickLoad
            || (_joined.Task.IsCompleted && request.RequestCase is Kind.CreateGame or Kind.JoinGame))
        {
            return _left || Frames.End is not null
                ? "This match is over, and the bridge plays one: start it again for another"
                : $"The bridge streams one match from its beginning to its end: {request.RequestCase} is not passed on";
        }

        return Rules.Refusal(request);
    }

    /// <summary>The bot joins: a match is created first where nobody has.</summary>
    /// <exception cref="GameException">It could not be.</exception>
    public async Task CreateFirstAsync(GameClient game, CancellationToken ct)
    {
        if (game.Status is not Status.InitGame)
        {
            await create(game, ct);
        }
    }

    /// <summary>The game's answer to anything but an observation, before the bot gets it.</summary>
    /// <exception cref="GameException">It cannot be read.</exception>
    public void Heard(Request request, in RawResponse answer)
    {
        switch (request.RequestCase)
        {
            case Kind.CreateGame when !answer.Refused && answer.Parse().CreateGame is { HasError: false }:
                _created = request.CreateGame;
                Game.Result.Realtime = _created.Realtime;
                break;
            case Kind.JoinGame when !answer.Refused && answer.Parse().JoinGame is { HasError: false } joined:
                var plays = request.JoinGame.ParticipationCase == RequestJoinGame.ParticipationOneofCase.Race;
                var perspective = plays ? joined.PlayerId : request.JoinGame.ObservedPlayerId;
                _joined.TrySetResult(new JoinedBot(
                    perspective, plays, _created, shared is null ? "bot" : $"bot {perspective}"));
                break;
            case Kind.LeaveGame or Kind.Quit when !answer.Refused:
                Left();
                break;
        }
    }

    /// <summary>The orders in a request; null if it has no orders, or no bot has joined.</summary>
    public ProxiedActions? OrdersOf(BotRequest request) =>
        request.Asked.Action is { Actions.Count: > 0 } orders && Joined.IsCompletedSuccessfully
            ? new ProxiedActions(Joined.Result.Name, Joined.Result.Perspective, Step, orders, request.ReceivedNs)
            : null;

    /// <summary>Reports the result of the bot's orders.</summary>
    public void Report(ActionReport report) => Acted?.Invoke(report);

    /// <summary>The answer to an observation, after the bot got it; the buffer is taken over.</summary>
    public void Observed(in RawResponse answer)
    {
        Streaming.ObservationFrame? frame = null;
        try
        {
            frame = _observations?.Take(answer);
            if (frame is null)
            {
                answer.Buffer.Release();
            }
        }
        catch (GameException failure)
        {
            answer.Buffer.Release();
            Frames.Fail(failure);
        }

        Frames.Put(frame);
        if (_observations is { IsComplete: true } observed)
        {
            Frames.Finish(observed.Ended(V1.EndReason.Finished));
        }
    }

    /// <summary>The rules of a ladder end the match before a step; null where it goes on.</summary>
    /// <param name="thought">How long the bot has thought so far.</param>
    /// <param name="realtime">Whether the game's own clock runs the match.</param>
    public LadderVerdict? Judge(TimeSpan thought, bool realtime)
    {
        var verdict = options.Ladder?.Judge(GameLoop, realtime ? TimeSpan.Zero : thought, Who);
        if (verdict is not null && _observations is { } observed)
        {
            var end = observed.Ended(verdict.Reason, verdict.Why);
            if (end.Results.Count == 0 && _joined.Task.Result.Plays)
            {
                end.Results.Add(new PlayerResult
                {
                    PlayerId = _joined.Task.Result.Perspective,
                    Result = verdict.Result,
                });
            }

            Frames.Finish(end);
        }

        return verdict;
    }

    /// <summary>The bot's connection is gone.</summary>
    /// <param name="how">As the end of the sentence "the bot …", or "bot 2 …".</param>
    public void Gone(string how)
    {
        if (_joined.Task.IsCompleted)
        {
            Abort(how);
        }
        else
        {
            options.Say($"The bot {how} before it had joined: waiting for it to come again");
        }
    }

    /// <summary>The match ends without the bot.</summary>
    /// <param name="how">As the end of the sentence "the bot …", or "bot 2 …".</param>
    public void Abort(string how)
    {
        if (_observations is { } observed)
        {
            Frames.Finish(observed.Ended(V1.EndReason.Failed, Sentence($"{how} at game loop {observed.GameLoop}")));
        }
        else
        {
            Frames.Fail(new GameException(Sentence($"{how} before the match began.")));
        }
    }

    private string Sentence(string how) => $"{char.ToUpperInvariant(Who[0])}{Who[1..]} {how}";

    private void Left()
    {
        _left = true;
        if (_observations is { } observed)
        {
            Frames.Finish(observed.Ended(V1.EndReason.Forfeit, $"{Who} left the game"));
        }
    }
}
