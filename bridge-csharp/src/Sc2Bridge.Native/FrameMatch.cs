using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Streaming;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Native;

/// <summary>A match whose frames the caller gets as columns, with the bytes that the bridge sends to an environment.</summary>
internal sealed class FrameMatch : Handle
{
    // The parts that Python's environments exclude.
    private const PartSet Excluded = PartSet.Abilities | PartSet.MapState | PartSet.FeatureLayers | PartSet.Render | PartSet.Ui;

    private const uint LastLoop = 1u << 19; // The game's limit.
    private const int Port = 5000; // Both games need the same ports, and use none.

    private readonly FrameMatchSettings _settings;
    private readonly Side[] _sides;
    private MatchGames? _games;
    private bool _isRunning;

    public FrameMatch(FrameMatchSettings settings)
    {
        _settings = settings;
        _sides = [.. settings.Sides.Select(_ => new Side())];
    }

    /// <summary>The newest frame of a side.</summary>
    public (Block Columns, uint GameLoop, bool IsOver) FrameOf(int side)
    {
        var found = SideOf(side);
        return _games is not null && found.Columns.Length > 0
            ? (found.Columns, found.GameLoop, found.IsOver)
            : throw new Failure(Code.State, "the match has no frame: call sc2bridge_match_begin first");
    }

    /// <summary>Begins a match, and makes the first frame of each side.</summary>
    /// <param name="seed">The game's random seed.</param>
    public void Begin(uint seed)
    {
        var games = _games ?? new MatchGames(_sides.Length);
        (_games, _isRunning) = (null, false); // A game that fails is not used again.
        for (var side = 0; side < _sides.Length; side++)
        {
            games.Handle(side, new Request { LeaveGame = new RequestLeaveGame() }); // Refused before the first match.
            _sides[side].Actions.Actions.Clear();
        }

        var created = Response.Parser.ParseFrom(games.Handle(0, new Request { CreateGame = Create(seed) }));
        Require(created, created.CreateGame is { HasError: false }, created.CreateGame?.ErrorDetails);
        foreach (var joined in games.HandleAll(side => new Request { JoinGame = Join(side) }))
        {
            Require(joined, joined.JoinGame is { HasError: false }, joined.JoinGame?.ErrorDetails);
        }

        (_games, _isRunning) = (games, true);
        Observe();
    }

    /// <summary>Keeps a side's actions until the next step.</summary>
    /// <param name="side">The side's index.</param>
    /// <param name="actions">A serialized RequestAction, which is not trusted.</param>
    public void Act(int side, ReadOnlySpan<byte> actions)
    {
        RequireRunning();
        SideOf(side).Actions.MergeFrom(Parse(RequestAction.Parser, actions, "actions"));
    }

    /// <summary>Sends the actions, plays the loops of a step, and makes a frame for each side.</summary>
    public void Step()
    {
        RequireRunning();
        var games = _games!;
        (_games, _isRunning) = (null, false); // Until the step has succeeded.
        for (var side = 0; side < _sides.Length; side++)
        {
            if (_sides[side].Actions.Actions.Count > 0)
            {
                // As with the bridge, the match continues if the game refuses an action.
                games.Handle(side, new Request { Action = _sides[side].Actions });
                _sides[side].Actions.Actions.Clear();
            }
        }

        foreach (var stepped in games.HandleAll(_ => new Request { Step = new RequestStep { Count = _settings.Repeat } }))
        {
            if (stepped.Step is null)
            {
                throw new InvalidOperationException($"the game refused a step: {string.Join("; ", stepped.Error)}");
            }
        }

        (_games, _isRunning) = (games, true);
        Observe();
    }

    /// <summary>Sends a request of a side to the game.</summary>
    /// <param name="side">The side's index.</param>
    /// <param name="request">A serialized Request, which is not trusted.</param>
    /// <returns>The serialized Response.</returns>
    public Block Ask(int side, ReadOnlySpan<byte> request)
    {
        var answer = SideOf(side).Answer;
        var asked = Parse(Request.Parser, request, "request");
        if (asked.RequestCase is not (Query or GameInfo or Data or Ping))
        {
            throw Failure.Argument($"the request {asked.RequestCase} is not possible here: send query, game_info, data or ping");
        }

        answer.Set((_games ?? throw NoMatch()).Handle(side, asked));
        return answer;
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _games = null;
        foreach (var side in _sides)
        {
            side.Columns.Dispose();
            side.Answer.Dispose();
        }
    }

    private RequestCreateGame Create(uint seed) => new()
    {
        LocalMap = _settings.Map,
        RandomSeed = seed,
        Realtime = false,
        DisableFog = false,
        PlayerSetup = { _sides.Select(_ => new PlayerSetup { Type = PlayerType.Participant }), _settings.Computers },
    };

    private RequestJoinGame Join(int side)
    {
        var join = new RequestJoinGame { Race = _settings.Sides[side], Options = DefaultInterface.Create() };
        if (_sides.Length > 1)
        {
            join.ServerPorts = new PortSet { GamePort = Port, BasePort = Port + 1 };
            join.ClientPorts.Add(new PortSet { GamePort = Port + 2, BasePort = Port + 3 });
        }

        return join;
    }

    private void Observe()
    {
        for (var index = 0; index < _sides.Length; index++)
        {
            var side = _sides[index];
            var answer = _games!.Handle(index, new Request { Observation = new RequestObservation() });
            var slice = ResponseSlicer.Slice(answer);
            if (slice.HasErrors || slice.BodyField == 0)
            {
                throw new InvalidOperationException(
                    $"the game refused an observation: {string.Join("; ", Response.Parser.ParseFrom(answer).Error)}");
            }

            var body = answer.Slice(slice.BodyStart, slice.BodyLength);
            var facts = ObservationFacts.Read(body);
            (side.GameLoop, side.IsOver) = (facts.GameLoop, facts.HasPlayerResult || facts.GameLoop >= LastLoop);
            _isRunning &= !side.IsOver;
            var frame = ObservationFrame.Copy(body, new FrameHeader("", 0, 0, 0, 0, 0));
            try
            {
                using var observation = frame.ObservationWithout(Excluded);
                var columns = ColumnsWriter.Write(observation.Span);
                side.Columns.Set(columns.Written.Span);
                columns.Release();
            }
            finally
            {
                frame.Release();
            }
        }
    }

    private Side SideOf(int side) => side >= 0 && side < _sides.Length
        ? _sides[side]
        : throw Failure.Argument($"side {side}: give 0 to {_sides.Length - 1}");

    private void RequireRunning()
    {
        if (!_isRunning)
        {
            throw NoMatch();
        }
    }

    private static Failure NoMatch() => new(Code.State, "no match is running: call sc2bridge_match_begin first");

    private static void Require(Response response, bool isOk, string? why)
    {
        if (!isOk || response.Error.Count > 0)
        {
            throw Failure.Argument($"the match cannot be played: {string.Join("; ", [.. response.Error, why])}");
        }
    }

    private static T Parse<T>(MessageParser<T> parser, ReadOnlySpan<byte> bytes, string what)
        where T : IMessage<T>
    {
        try
        {
            return parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException wrong)
        {
            throw Failure.Argument($"{what}: not a serialized message: {wrong.Message}", wrong);
        }
    }

    private sealed class Side
    {
        public Block Columns { get; } = new();

        public Block Answer { get; } = new();

        public RequestAction Actions { get; } = new();

        public uint GameLoop { get; set; }

        public bool IsOver { get; set; }
    }
}
