using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi.Tests.Client;

/// <summary>A game with invalid answers, or with answers that a later version may send.</summary>
public sealed class OddGameTests
{
    // Unknown fields 200 to 203, one of each wire type.
    private static readonly byte[] Unknown =
    [0xc0, 0x0c, 0x01, 0xca, 0x0c, 0x02, 0x08, 0x01, 0xd5, 0x0c, 1, 2, 3, 4, 0xd9, 0x0c, 1, 2, 3, 4, 5, 6, 7, 8];

    private static readonly Request Ping = new() { Ping = new RequestPing() };

    [Fact]
    public async Task Answers_in_another_order_are_one_clear_error()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            var first = await connection.ReadAsync();
            var second = await connection.ReadAsync();
            await connection.AnswerAsync(second!, Build(2));
            await connection.AnswerAsync(first!, Build(1));
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        var first = client.SendAsync(Ping, Ct);
        var second = client.SendAsync(Ping, Ct);
        var failure = await Assert.ThrowsAsync<GameException>(() => first);
        Assert.Contains("out of step", failure.Message, StringComparison.Ordinal);
        Assert.Same(failure, await Assert.ThrowsAsync<GameException>(() => second));
    }

    [Fact]
    public async Task An_answer_too_many_is_one_clear_error()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            var first = await connection.ReadAsync();
            await connection.AnswerAsync(first!, Build(1));
            await connection.AnswerAsync(first!, Build(1));
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        Assert.Equal(1u, (await client.SendAsync(Ping, Ct)).Ping.BaseBuild);
        var failure = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        Assert.Contains("out of step", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Fields_that_this_version_does_not_know_stay_in_the_bytes()
    {
        byte[] body = [.. StandInGame.Observed(5).Observation.ToByteArray(), .. Unknown];
        await using var game = ScriptedGame.Start(async connection =>
        {
            while (await connection.ReadAsync() is { } request)
            {
                byte[] answer = request.Ping is null
                    ? [.. Unknown, 0x52, (byte)body.Length, .. body, .. Unknown]
                    : [.. Unknown, .. Build(3).ToByteArray()];
                await connection.SendAsync(answer);
            }
        });
        await using var client = await ConnectAsync(game);
        Assert.Equal(3u, (await client.SendAsync(Ping, Ct)).Ping.BaseBuild);
        var observed = await client.ObserveAsync(null, Ct);
        Assert.Equal(body, observed.Body.ToArray());
        observed.Buffer.Release();
    }

    [Fact]
    public async Task States_in_odd_places_are_believed()
    {
        var states = new Queue<Status?>([Status.InReplay, null, (Status)77, Status.Quit]);
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(_ =>
        {
            var answer = Build(1);
            if (states.Dequeue() is { } state)
            {
                answer.Status = state;
            }

            return answer;
        }));
        await using var client = await ConnectAsync(game);
        var told = new List<Status>();
        while (states.Count > 0)
        {
            await client.SendAsync(Ping, Ct);
            told.Add(client.Status);
        }

        // A missing status keeps the last one. An unknown status allows everything. After a quit, nothing is sent.
        Assert.Equal([Status.InReplay, Status.InReplay, Status.Unknown, Status.Quit], told);
        var refused = await Assert.ThrowsAsync<GameRequestException>(() => client.SendAsync(Ping, Ct));
        Assert.Contains("state quit", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_answer_in_a_thousand_pieces_is_one_answer()
    {
        var version = new string('x', 5000);
        await using var game = ScriptedGame.Start(async connection =>
        {
            var request = await connection.ReadAsync();
            var answer = new Response { Ping = new ResponsePing { GameVersion = version }, Id = request!.Id };
            var bytes = answer.ToByteArray();
            for (var i = 0; i < bytes.Length; i += 5)
            {
                var end = Math.Min(i + 5, bytes.Length);
                await connection.SendAsync(bytes[i..end], end: end == bytes.Length);
            }

            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        Assert.Equal(version, (await client.SendAsync(Ping, Ct)).Ping.GameVersion);
    }

    [Fact]
    public async Task Half_a_message_and_then_nothing_is_a_hanging_game()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            await connection.ReadAsync();
            await connection.SendAsync(Build(1).ToByteArray(), end: false);
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(
            game, new GameClientOptions { RequestTimeout = TimeSpan.FromMilliseconds(80) });
        var failure = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        Assert.Contains("The game hangs: no answer to ping", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_frame_of_impossible_length_is_one_clear_error()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            await connection.ReadAsync();
            await connection.Stream.WriteAsync(
                new byte[] { 0x82, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff });
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        var failure = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        Assert.Contains("while ping waited", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Many_calls_of_which_some_are_cancelled_each_get_their_own_answer()
    {
        var asked = 0u;
        var open = new TaskCompletionSource();
        await using var game = ScriptedGame.Start(async connection =>
        {
            await open.Task;
            await connection.ServeAsync(_ => Build(asked++));
        });
        await using var client = await ConnectAsync(game);
        using var cancel = new CancellationTokenSource();
        var random = new Random(3);
        var calls = Enumerable.Range(0, 300)
            .Select(_ => random.Next(3) == 0 ? cancel.Token : Ct)
            .Select(token => (Given: token == cancel.Token, Answer: client.SendAsync(Ping, token))).ToList();
        await cancel.CancelAsync();
        open.SetResult();
        for (var i = 0; i < calls.Count; i++)
        {
            if (calls[i].Given)
            {
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => calls[i].Answer);
            }
            else
            {
                Assert.Equal((uint)i, (await calls[i].Answer).Ping.BaseBuild);
            }
        }
    }

    [Fact]
    public async Task A_step_given_up_leaves_the_next_one_in_step()
    {
        var givenUp = new TaskCompletionSource();
        var loop = 0u;
        await using var game = ScriptedGame.Start(async connection =>
        {
            while (await connection.ReadAsync() is { } request)
            {
                await givenUp.Task;
                loop += request.Step is null ? 0 : 1u;
                var stepped = new Response { Step = new ResponseStep() };
                await connection.AnswerAsync(request, request.Step is null ? StandInGame.Observed(loop) : stepped);
            }
        });
        await using var client = await ConnectAsync(game);
        using var cancel = new CancellationTokenSource();
        var first = client.StepAndObserveAsync(1, disableFog: false, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        givenUp.SetResult();
        var second = await client.StepAndObserveAsync(1, disableFog: false, Ct);
        Assert.Equal(2u, ResponseObservation.Parser.ParseFrom(second.Observation.Body).Observation.GameLoop);
        second.Observation.Buffer.Release();
    }

    [Fact]
    public async Task An_explanation_that_fails_hangs_no_call()
    {
        var options = new GameClientOptions { Explain = () => throw new InvalidOperationException("no explanation") };
        await using var game = ScriptedGame.Start(async connection =>
        {
            await connection.ReadAsync();
            connection.Cut();
        });
        await using var client = await ConnectAsync(game, options);
        await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
    }

    [Fact]
    public async Task A_warning_beside_a_body_that_does_not_parse_is_one_clear_error()
    {
        // An error, then a ping whose first string announces 127 bytes and has none.
        await using var game = ScriptedGame.Start(async connection =>
        {
            await connection.ReadAsync();
            await connection.SendAsync([0x92, 0x06, 0x03, .. "odd"u8, 0x9a, 0x01, 0x02, 0x0a, 0x7f]);
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        var failure = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        Assert.Contains("is not a Response", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Errors_in_another_encoding_than_utf8_are_a_refusal_like_any_other(bool steps)
    {
        // Field 98 with one Latin-1 character, which is not UTF-8.
        byte[] refusal = [0x92, 0x06, 0x04, 0x6e, 0x6f, 0xe9, 0x21];
        await using var game = ScriptedGame.Start(async connection =>
        {
            while (await connection.ReadAsync() is not null)
            {
                await connection.SendAsync(refusal);
            }
        });
        await using var client = await ConnectAsync(game);
        if (steps)
        {
            var stepped = await client.StepAndObserveAsync(1, disableFog: false, Ct);
            Assert.StartsWith("no", Assert.Single(stepped.StepErrors), StringComparison.Ordinal);
            Assert.StartsWith("no", Assert.Single(stepped.Observation.Errors()), StringComparison.Ordinal);
            stepped.Observation.Buffer.Release();
        }
        else
        {
            var answer = await client.ObserveAsync(null, Ct);
            Assert.Equal("no\ufffd!", Assert.Single(answer.Errors()));
            answer.Buffer.Release();
        }
    }

    [Fact]
    public async Task A_broken_connection_tells_each_caller_where_it_broke()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            await connection.ReadAsync();
            await connection.SendAsync([0xff, 0xff, 0xff, 0xff, 0xff]);
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        var first = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        var second = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        Assert.Same(first, second);
        Assert.Contains("RequestPipeline.Dequeue", second.StackTrace, StringComparison.Ordinal);
    }

    private static Response Build(uint number) => new() { Ping = new ResponsePing { BaseBuild = number } };

    private static async Task<GameClient> ConnectAsync(ScriptedGame game, GameClientOptions? options = null) => new(
        await GameConnector.OpenAsync(game.Address, TimeSpan.FromSeconds(30), null, Ct),
        options ?? new GameClientOptions());
}
