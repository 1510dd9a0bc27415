using System.Buffers;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A recording that is played as a game, without a socket.</summary>
internal sealed class PlayedGame : IDisposable, IPlaybackLog
{
    private readonly PlayableRecording _recording;
    private readonly RecordedGame _game;
    private uint _id;

    public PlayedGame(string path, bool strict = false)
    {
        _recording = PlayableRecording.Open(path);
        var options = new RecordedGameOptions { Recording = path, Strict = strict, Clock = Clock };
        _game = new RecordedGame(_recording, options, this);
    }

    public ManualClock Clock { get; } = new();

    public Status Status => _game.Status;

    public RequestTotals Totals => _game.Totals;

    /// <summary>The messages for the user.</summary>
    public List<string> Said { get; } = [];

    /// <summary>The perspectives of the clients, in order.</summary>
    public List<uint> Begun { get; } = [];

    /// <summary>The client's and the recorded actions, by game loop.</summary>
    public List<(uint Loop, string[] Client, string[] Recorded)> Noted { get; } = [];

    /// <summary>Creates a game on the recording's map and joins it.</summary>
    public static PlayedGame Joined(string path, bool strict = false, bool realtime = false, uint? observed = null)
    {
        var game = new PlayedGame(path, strict);
        var create = Create(realtime, participants: observed is null ? 1 : 0);
        Assert.False(game.Ask(new Request { CreateGame = create }).CreateGame.HasError);
        var join = observed is { } player ? Observer(player) : Participant(Race.Random);
        var joined = game.Ask(new Request { JoinGame = join });
        Assert.False(joined.JoinGame.HasError, joined.JoinGame.ErrorDetails);
        return game;
    }

    public static RequestCreateGame Create(
        bool realtime = false, int participants = 1, string map = "Cinder Fortress LE")
    {
        var create = new RequestCreateGame { LocalMap = new LocalMap { MapPath = map }, Realtime = realtime };
        for (var i = 0; i < 2; i++)
        {
            create.PlayerSetup.Add(new PlayerSetup
            {
                Type = i < participants ? PlayerType.Participant : PlayerType.Computer,
                Race = Race.Random,
            });
        }

        return create;
    }

    public static RequestJoinGame Participant(Race race) =>
        new() { Race = race, Options = new InterfaceOptions { Raw = true, Score = true } };

    public static RequestJoinGame Observer(uint player) =>
        new() { ObservedPlayerId = player, Options = new InterfaceOptions { Raw = true, Score = true } };

    public static RequestDebug Draw(DebugDraw draw) => new() { Debug = { new DebugCommand { Draw = draw } } };

    /// <summary>Sends a request that is answered at once.</summary>
    public Response Ask(Request request)
    {
        Assert.Null(TryAsk(request, out var response));
        return response!;
    }

    /// <summary>Sends a request. Returns how long its answer must wait.</summary>
    public TimeSpan? TryAsk(Request request, out Response? response)
    {
        request.Id = ++_id;
        var bytes = new ArrayBufferWriter<byte>();
        var rest = _game.Answer(request, bytes, Ct);
        response = rest is null ? Response.Parser.ParseFrom(bytes.WrittenSpan) : null;
        Assert.True(rest is null ? response!.Id == _id : bytes.WrittenCount == 0);
        return rest;
    }

    public Response Step(uint count = 1) => Ask(new Request { Step = new RequestStep { Count = count } });

    public Response Observe() => Ask(new Request { Observation = new RequestObservation() });

    /// <summary>The observation's original bytes.</summary>
    public byte[] ObserveBytes()
    {
        var bytes = new ArrayBufferWriter<byte>();
        Assert.Null(_game.Answer(new Request { Observation = new RequestObservation() }, bytes, default));
        var slice = Protocol.ResponseSlicer.Slice(bytes.WrittenSpan);
        return bytes.WrittenSpan.Slice(slice.BodyStart, slice.BodyLength).ToArray();
    }

    public Response Query(RequestQuery query) => Ask(new Request { Query = query });

    public ResponseAction Order(params string[] messages)
    {
        var request = new RequestAction();
        request.Actions.AddRange(messages.Select(Say));
        return Ask(new Request { Action = request }).Action;
    }

    /// <summary>An action that its text identifies.</summary>
    public static SC2APIProtocol.Action Say(string message) =>
        new() { ActionChat = new ActionChat { Message = message } };

    public void Dispose()
    {
        _game.Dispose();
        _recording.Dispose();
    }

    void IPlaybackLog.Say(string line)
    {
        Assert.DoesNotContain('\n', line);
        Said.Add(line);
    }

    void IPlaybackLog.LogStart(uint perspective) => Begun.Add(perspective);

    void IPlaybackLog.LogActions(
        uint gameLoop, IReadOnlyList<SC2APIProtocol.Action> client, IReadOnlyList<SC2APIProtocol.Action> recorded) =>
        Noted.Add((gameLoop, Words(client), Words(recorded)));

    private static string[] Words(IReadOnlyList<SC2APIProtocol.Action> actions) =>
        [.. actions.Select(action => action.ActionChat?.Message ?? "?")];
}
