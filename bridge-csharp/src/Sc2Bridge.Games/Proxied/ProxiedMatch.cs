using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Acting;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>A bot that has joined.</summary>
/// <param name="Perspective">The bot's player id, or the id of the player that it observes.</param>
/// <param name="Plays">Whether the bot plays; false if it observes.</param>
/// <param name="Created">The bot's request to create the match; null if the bot did not create the match.</param>
/// <param name="Name">The bot's name in messages: "bot 2", or "bot" if there is one side.</param>
internal sealed record JoinedBot(uint Perspective, bool Plays, RequestCreateGame? Created, string Name);

/// <summary>
/// A match that a bot plays through the bridge. This class reads the bot's requests and the answers, and detects how the match ends. Apart
/// from requests to the game, it does no I/O.
/// </summary>
/// <param name="options">The rules and limits for the bot.</param>
/// <param name="shared">The state that this bot's client shares with the other side's client; null for a match with one client.</param>
/// <param name="create">Creates the match if the bot does not create it.</param>
/// <param name="maps">Returns the game's folder of maps; null if unknown.</param>
internal sealed class ProxiedMatch(
    ProxyOptions options, SharedMatch? shared, Func<GameClient, CancellationToken, Task> create,
    Func<string?>? maps = null)
{
    private readonly TaskCompletionSource<GameClient> _game = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<JoinedBot> _joined = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private RequestCreateGame? _created;
    private MatchObservations? _observations;
    private volatile bool _hasBotLeft;

    /// <inheritdoc cref="IGameSource.Acted"/>
    public event Action<ActionReport>? Acted;

    /// <summary>Completes when the game accepts requests. The result is the game's client.</summary>
    public Task<GameClient> Game => _game.Task;

    /// <summary>Completes when the bot has joined.</summary>
    public Task<JoinedBot> Joined => _joined.Task;

    /// <summary>The rules and limits for the bot.</summary>
    public ProxyOptions Options => options;

    /// <summary>Passes the observations to the other agents.</summary>
    public FrameHandoff Frames { get; } = new();

    /// <summary>Measures the delay of each request.</summary>
    public RequestFigures Figures { get; } = new();

    /// <summary>Decides which of the bot's requests go to the game, and which of them are changed first.</summary>
    public BotRequestRules Rules { get; } = new(options.Ladder, shared, maps);

    /// <summary>The times of the newest steps.</summary>
    public BotStepTimes Times { get; } = new();

    /// <summary>The game loop of the newest observation.</summary>
    public uint GameLoop => _observations?.GameLoop ?? 0;

    // If there are two sides, messages name the bot by its player.
    private string Who => shared is not null && Joined.IsCompletedSuccessfully ? Joined.Result.Name : "the bot";

    private ulong Step => _observations?.Step ?? 0;

    /// <summary>Sets the game's client. Call this method when the game accepts requests.</summary>
    public void SetGame(GameClient game) => _game.TrySetResult(game);

    /// <summary>Sets the match's name and the bot's perspective. Observations can be read only after this call.</summary>
    public void Begin(string name, uint perspective) => _observations = new MatchObservations(name, perspective);

    /// <summary>Returns why the bridge does not forward a request; null if it is forwarded.</summary>
    public string? Refusal(Request request)
    {
        if (request.RequestCase == Kind.None)
        {
            return "Request has no content: set one of its request fields";
        }

        if (request.RequestCase is Kind.StartReplay or Kind.RestartGame or Kind.QuickLoad
            || (_joined.Task.IsCompleted && request.RequestCase is Kind.CreateGame or Kind.JoinGame))
        {
            return _hasBotLeft || Frames.End is not null
                ? "This match is over, and the bridge plays only one: start the bridge again for another match"
                : $"The bridge streams one match from its beginning to its end: {request.RequestCase} is not forwarded";
        }

        return Rules.Refusal(request);
    }

    /// <summary>Creates the match before the bot joins, if it does not exist yet.</summary>
    /// <exception cref="GameException">The match cannot be created.</exception>
    public async Task CreateIfMissingAsync(GameClient game, CancellationToken ct)
    {
        if (game.Status is not Status.InitGame)
        {
            await create(game, ct);
        }
    }

    /// <summary>Reads an answer of the game before the bot gets it. For observations, use <see cref="OnObservation"/>.</summary>
    /// <exception cref="GameException">The answer cannot be read.</exception>
    public void OnAnswer(Request request, in RawResponse answer)
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
                OnLeft();
                break;
        }
    }

    /// <summary>Returns the orders in a request; null if the request has no orders, or no bot has joined.</summary>
    public ProxiedActions? OrdersOf(BotRequest request) =>
        request.Message.Action is { Actions.Count: > 0 } orders && Joined.IsCompletedSuccessfully
            ? new ProxiedActions(Joined.Result.Name, Joined.Result.Perspective, Step, orders, request.ReceivedNs)
            : null;

    /// <summary>Reports the result of the bot's orders.</summary>
    public void Report(ActionReport report) => Acted?.Invoke(report);

    /// <summary>Reads an answer with an observation, after the bot has got the answer. Takes over the answer's buffer.</summary>
    public void OnObservation(in RawResponse answer)
    {
        Streaming.ObservationFrame? frame = null;
        try
        {
            frame = _observations?.Read(answer);
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

        Times.BeginStep(GameLoop);
        Frames.Put(frame);
        if (_observations is { IsComplete: true } observed)
        {
            Frames.Finish(observed.DescribeEnd(V1.EndReason.Finished));
        }
    }

    /// <summary>Ends the match before the bot's next step if the ladder's rules require it. Returns the decision; null if the match goes on.</summary>
    /// <param name="thinkingTime">The bot's thinking time so far.</param>
    /// <param name="realtime">Whether the game's own clock runs the match.</param>
    public LadderVerdict? Judge(TimeSpan thinkingTime, bool realtime)
    {
        var verdict = options.Ladder?.Judge(GameLoop, realtime ? TimeSpan.Zero : thinkingTime, Who);
        if (verdict is not null && _observations is { } observed)
        {
            var end = observed.DescribeEnd(verdict.Reason, verdict.Why);
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

    /// <summary>Called when the bot has disconnected.</summary>
    /// <param name="how">What the bot did, as the end of the sentence "the bot …", or "bot 2 …".</param>
    /// <param name="kind">How the bot failed.</param>
    public void OnDisconnected(string how, BotFaultKind kind = BotFaultKind.Disconnected)
    {
        if (_joined.Task.IsCompleted)
        {
            Abort(how, kind);
        }
        else
        {
            options.Say($"The bot {how} before it had joined: waiting for a bot to connect again");
        }
    }

    /// <summary>Ends the match without the bot.</summary>
    /// <param name="how">What the bot did, as the end of the sentence "the bot …", or "bot 2 …".</param>
    /// <param name="kind">How the bot failed.</param>
    public void Abort(string how, BotFaultKind kind)
    {
        if (_observations is { } observed)
        {
            var text = Sentence($"{how} at game loop {observed.GameLoop}");
            Frames.Finish(observed.DescribeEnd(V1.EndReason.Failed, text), new BotFault(kind, text, observed.GameLoop));
        }
        else
        {
            var text = Sentence($"{how} before the match began.");
            Frames.Fail(new GameException(text), new BotFault(kind, text, 0));
        }
    }

    private string Sentence(string how) => $"{char.ToUpperInvariant(Who[0])}{Who[1..]} {how}";

    private void OnLeft()
    {
        _hasBotLeft = true;
        if (_observations is { } observed)
        {
            Frames.Finish(observed.DescribeEnd(V1.EndReason.Forfeit, $"{Who} left the game"));
        }
    }
}
