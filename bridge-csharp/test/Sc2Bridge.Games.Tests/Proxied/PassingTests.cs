using Sc2Bridge.Games.Tests.Served;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.Proxied;

/// <summary>A bot's requests and answers are the same with and without the bridge.</summary>
public sealed class PassingTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(40)]
    public async Task Every_answer_is_the_games_own_to_the_byte_however_many_requests_are_sent_ahead(int ahead)
    {
        var requests = Requests();
        List<byte[]> without;
        await using (var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct))
        {
            using var direct = await GameSocket.ConnectAsync(game.Port);
            without = await PlayAsync(direct, requests, ahead, () => Task.CompletedTask);
        }

        await using var match = await ProxiedGame.StartAsync();
        using var bot = await match.ConnectAsync();
        using var agents = new Agents(match);
        var with = await PlayAsync(bot, requests, ahead, async () =>
        {
            await match.Started;
            agents.Begin();
        });
        await bot.SendAsync(Asks.Leave());
        Assert.Equal(without.Count, with.Count);
        for (var i = 0; i < with.Count; i++)
        {
            Assert.True(with[i].AsSpan().SequenceEqual(without[i]), $"answer {i} to {requests[i].RequestCase}");
        }

        // Each agent received the same observations as the bot, and only its own answers.
        var observed = with.Select(Response.Parser.ParseFrom).Where(answer => answer.Observation is not null)
            .Select(answer => answer.Observation.ToByteArray()).ToList();
        foreach (var (heard, end) in await agents.EndAsync())
        {
            Assert.Equal(observed, heard);
            Assert.Equal(("the bot left the game", false), (end!.Detail, end.Aborted));
        }
    }

    [Fact]
    public async Task Long_requests_go_to_the_game_one_by_one()
    {
        var hasRead = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var game = ScriptedGame.Start(AnswerAsync);
        using var toGame = await GameSocket.ConnectAsync(game.Address.Api);
        await using var client = new GameClient(toGame.Socket, new GameClientOptions());
        var match = new ProxiedMatch(new ProxyOptions(), shared: null, create: (_, _) => Task.CompletedTask);
        match.SetGame(client);
        using var bot = new EagerClient(requests: 10);
        var served = new BotConnection(bot, match, static () => { }).ServeAsync(Ct, Ct);
        await HoldsAsync(() => bot.Taken >= 2);
        hasRead.SetResult();
        await served;
        Assert.Equal((10, 2), (bot.Answered, bot.MostAhead));

        async Task AnswerAsync(ScriptedConnection connection)
        {
            while (await connection.ReadAsync() is not null)
            {
                await hasRead.Task;
                await connection.SendAsync(new Response { Ping = new(), Status = Status.Launched }.ToByteArray());
            }
        }
    }

    [Fact]
    public async Task What_was_added_to_each_kind_of_request_is_known()
    {
        await using var match = await ProxiedGame.StartAsync();
        var (bot, run) = await match.JoinAsync();
        using (bot)
        {
            for (var i = 0; i < 20; i++)
            {
                await bot.AskAsync(Asks.Observe());
                await bot.AskAsync(Asks.Step());
            }

            await bot.AskAsync(Asks.Quit());
        }

        await run;
        var delays = match.Source.Delays.ToDictionary(delay => delay.Request);
        Assert.Equal(20, delays["observation"].Count);
        Assert.Equal(20, delays["step"].Count);
        Assert.All(delays.Values, delay => Assert.True(
            delay.AddedP50Us > 0 && delay.AddedP50Us <= delay.AddedP99Us && delay.AddedP99Us <= delay.AddedMaxUs
            && delay.GameP50Us > 0 && delay.HeldP99Us >= 0));
    }

    // A match with actions, queries, errors and all kinds of ids.
    private static List<Request> Requests()
    {
        List<Request> requests =
        [
            new() { Ping = new() },
            Asks.Create(),
            Asks.Join(),
            new() { GameInfo = new(), Id = 7 },
            new() { Data = new() { UnitTypeId = true } },
        ];
        for (uint i = 0; i < 60; i++)
        {
            requests.Add(new() { Observation = new(), Id = i * 1_000_003 });
            if (i % 3 == 0)
            {
                requests.Add(Asks.Placements((int)i + 1));
                var chat = new SC2APIProtocol.Action { ActionChat = new() { Message = $"{i}" } };
                requests.Add(new() { Action = new() { Actions = { chat } } });
            }

            requests.Add(i % 7 == 0 ? new() { ObsAction = new() } : Asks.Step(i % 5));
            requests.Add(new() { Step = new() { Count = 4 }, Id = uint.MaxValue });
        }

        return requests;
    }

    private static async Task<List<byte[]>> PlayAsync(
        GameSocket bot, List<Request> requests, int ahead, Func<Task> joined)
    {
        var answers = new List<byte[]>();
        var sent = 0;
        while (answers.Count < requests.Count)
        {
            // One request at a time until it has joined, because agents connect before the first observation.
            var most = answers.Count < 3 ? 1 : ahead;
            for (; sent < requests.Count && sent < answers.Count + most; sent++)
            {
                await bot.SendAsync(requests[sent]);
            }

            answers.Add((await bot.ReceiveBytesAsync())!);
            if (answers.Count == 3)
            {
                await joined();
            }
        }

        return answers;
    }

    /// <summary>Agents with and without lockstep that send queries all the time.</summary>
    private sealed class Agents(ProxiedGame match) : IDisposable
    {
        private readonly List<Streaming.Subscription> _agents = [];
        private readonly List<Task<(List<byte[]>, V1.MatchEnd?)>> _hearing = [];
        private readonly CancellationTokenSource _ended = new();
        private Task _asking = Task.CompletedTask;
        private Task _run = Task.CompletedTask;

        public void Begin()
        {
            foreach (var policy in new[] { V1.Policy.Lockstep, V1.Policy.Every, V1.Policy.Lockstep })
            {
                var agent = match.Listen(policy);
                _agents.Add(agent);
                _hearing.Add(ProxiedGame.HearAsync(agent));
            }

            _run = match.RunAsync();
            _asking = AskAsync();
        }

        public async Task<(List<byte[]> Heard, V1.MatchEnd? End)[]> EndAsync()
        {
            var heard = await Task.WhenAll(_hearing);
            await _run;
            await _ended.CancelAsync();
            await _asking;
            return heard;
        }

        public void Dispose()
        {
            _agents.ForEach(agent => agent.Dispose());
            _ended.Dispose();
        }

        private async Task AskAsync()
        {
            for (var count = 1; !_ended.IsCancellationRequested; count = (count % 50) + 1)
            {
                try
                {
                    var answer = await match.AskAsync(Asks.Placements(count));
                    if (answer.Error.Count > 0)
                    {
                        return; // the bot has left
                    }

                    Assert.Equal(count, answer.Query.Placements.Count);
                }
                catch (Streaming.RequestRefusedException)
                {
                    return; // the match is over
                }
            }
        }
    }
}
