using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator.Api;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Simulator.Tests.Api;

/// <summary>Checks games against the table in CONFORMANCE.md.</summary>
public sealed class ConformanceTests
{
    private const string RealGame = "SC2BRIDGE_CONFORMANCE";

    public static TheoryData<string> States => [.. ConformanceTable.States];

    [Fact]
    public void The_table_has_every_request_and_every_state() =>
        Assert.Equal(Request.Descriptor.Oneofs[0].Fields.Count * ConformanceTable.States.Count, ConformanceTable.Read().Count);

    [Theory]
    [MemberData(nameof(States))]
    public async Task The_game_in_the_process_answers_as_the_table_says(string state)
    {
        var table = ConformanceTable.Read();
        foreach (var kind in ConformanceTable.Kinds)
        {
            var game = new SimulatedGame(new SimulatorOptions());
            var suite = new ConformanceSuite(request => Task.FromResult(game.Handle(request)));
            Assert.Null(await suite.TryAsync(kind, state, table[(kind, state)]));
            Assert.Equal(kind == Kind.Quit, game.Status == Status.Quit);
        }
    }

    [Fact]
    public async Task The_game_behind_its_socket_answers_as_the_table_says()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await RunAsync(new Uri($"ws://127.0.0.1:{server.Port}/sc2api"));
        await server.Ended.WaitAsync(Ct);
    }

    [Fact]
    public async Task An_answer_that_is_otherwise_is_named_with_its_state()
    {
        var game = new SimulatedGame(new SimulatorOptions());
        var suite = new ConformanceSuite(request =>
        {
            var isWrong = game.Status == Status.InReplay && request.RequestCase == Kind.Query;
            var answer = game.Handle(request);
            return Task.FromResult(isWrong ? new Response { Id = answer.Id, Status = answer.Status, Error = { "not here" } } : answer);
        });
        var answersBefore = suite.Answers;
        List<string> states = [];
        var wrong = Assert.Single(await suite.RunAsync(states.Add));
        Assert.StartsWith("Query in in_replay: refused, not ok: ", wrong, StringComparison.Ordinal);
        Assert.Contains("not here", wrong, StringComparison.Ordinal);
        Assert.Equal([.. ConformanceTable.States, .. ConformanceTable.States], states);
        Assert.Empty(answersBefore);
        Assert.Equal("refused, then in_replay", suite.Answers.Single(answer => answer is { Request: Kind.Query, State: "in_replay" }).Answer);
        Assert.Equal("error NoTriggerError, then in_game", suite.Answers.First(answer => answer is { Request: Kind.MapCommand, State: "in_game" }).Answer);
    }

    [Fact(Explicit = true)]
    public async Task A_running_game_answers_as_the_table_says()
    {
        var address = Environment.GetEnvironmentVariable(RealGame);
        Assert.SkipWhen(string.IsNullOrEmpty(address), $"{RealGame} names no running game (ws://HOST:PORT/sc2api).");
        await RunAsync(new Uri(address!));
    }

    // One game goes through all states. It quits at the end.
    private static async Task RunAsync(Uri address)
    {
        using var client = await GameSocket.ConnectAsync(address);
        var suite = new ConformanceSuite(client.AskAsync, Environment.GetEnvironmentVariable("SC2BRIDGE_CONFORMANCE_MAP"));
        Assert.Empty(await suite.RunAsync(static _ => { }));
        Assert.Null(await suite.TryAsync(Kind.Quit, "ended", ConformanceTable.Read()[(Kind.Quit, "ended")]));
    }
}
