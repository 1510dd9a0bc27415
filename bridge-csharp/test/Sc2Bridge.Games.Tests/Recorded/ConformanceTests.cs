using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>Checks a recording against its own table in CONFORMANCE.md: every request in every state.</summary>
public sealed class ConformanceTests : IDisposable
{
    private static readonly string[] _states = ["launched", "init_game", "in_game", "realtime", "observer", "ended"];
    private readonly RecordingBuilder _builder = new();
    private readonly string _path;

    public ConformanceTests() => _path = _builder.Write(RecordingBuilder.Loops(30));

    public static TheoryData<string> States => [.. _states];

    public void Dispose() => _builder.Dispose();

    [Fact]
    public void The_table_has_every_request() => Assert.Equal(Request.Descriptor.Oneofs[0].Fields.Count, Table().Count);

    [Theory]
    [MemberData(nameof(States))]
    public void Each_request_is_answered_as_the_table_says(string state)
    {
        foreach (var (kind, cells) in Table())
        {
            using var game = In(state);
            var before = game.Status;
            var response = game.Ask(Sample(kind));
            var after = cells[Array.IndexOf(_states, state)].Split(" → ");
            var body = (int)response.ResponseCase;
            var typed = body == 0 ? null : Response.Descriptor.FindFieldByNumber(body);
            var message = typed is null ? null : (IMessage)typed.Accessor.GetValue(response);
            var error = message?.Descriptor.FindFieldByName("error")?.Accessor.HasValue(message) == true;
            var answer = body == 0 ? "refused" : error ? "error" : "ok";
            Assert.True(answer == after[0], $"{kind} in {state}: {answer}, not {after[0]}: {response}");
            Assert.Equal(body == 0, response.Error.Count > 0);
            Assert.True(body == 0 || body == (int)kind);
            Assert.Equal(kind != Kind.Quit, response.HasStatus);
            var expected = after.Length > 1 ? StatusOf(after[1]) : before;
            Assert.True(game.Status == expected, $"{kind} in {state}: then {game.Status}, not {expected}");
        }
    }

    private static Dictionary<Kind, string[]> Table()
    {
        using var stream = typeof(ConformanceTests).Assembly.GetManifestResourceStream("CONFORMANCE.md")!;
        using var reader = new StreamReader(stream);
        var kinds = Request.Descriptor.Oneofs[0].Fields.ToDictionary(one => one.Name, one => (Kind)one.FieldNumber);
        return reader.ReadToEnd().Split('\n').Select(line => line.Split('|', StringSplitOptions.TrimEntries))
            .Where(cells => cells.Length == _states.Length + 3 && kinds.ContainsKey(cells[1]))
            .ToDictionary(cells => kinds[cells[1]], cells => cells[2..^1]);
    }

    private static Status StatusOf(string state) => state switch
    {
        "launched" => Status.Launched,
        "init_game" => Status.InitGame,
        "in_game" => Status.InGame,
        "quit" => Status.Quit,
        _ => throw new ArgumentException(state),
    };

    private PlayedGame In(string state)
    {
        if (state is "launched" or "init_game")
        {
            var created = new PlayedGame(_path);
            if (state == "init_game")
            {
                created.Ask(new Request { CreateGame = PlayedGame.Create() });
            }

            return created;
        }

        var game = PlayedGame.Joined(_path, realtime: state == "realtime", observed: state == "observer" ? 1u : null);
        game.Ask(new Request { QuickSave = new RequestQuickSave() });
        if (state == "ended")
        {
            game.Step(100);
        }

        return game;
    }

    private static Request Sample(Kind kind)
    {
        switch (kind)
        {
            case Kind.CreateGame:
                return new Request { CreateGame = PlayedGame.Create() };
            case Kind.JoinGame:
                return new Request { JoinGame = PlayedGame.Participant(Race.Terran) };
            case Kind.Debug:
                return new Request { Debug = PlayedGame.Draw(new DebugDraw()) };
            default:
                var request = new Request();
                var field = Request.Descriptor.FindFieldByNumber((int)kind);
                field.Accessor.SetValue(request, field.MessageType.Parser.ParseFrom(ByteString.Empty));
                return request;
        }
    }
}
