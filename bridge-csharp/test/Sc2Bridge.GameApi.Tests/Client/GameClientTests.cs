using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi.Tests.Client;

public sealed class GameClientTests
{
    private static readonly Request Ping = new() { Ping = new RequestPing() };

    [Fact]
    public async Task Requests_are_pipelined_and_answers_matched_in_order()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            var first = await connection.ReadAsync();
            var second = await connection.ReadAsync();
            await connection.AnswerAsync(first!, new Response { Ping = new ResponsePing { BaseBuild = 1 } });
            await connection.AnswerAsync(second!, new Response { AvailableMaps = new ResponseAvailableMaps() });
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        var ping = client.SendAsync(Ping, Ct);
        var maps = client.SendAsync(new Request { AvailableMaps = new RequestAvailableMaps() }, Ct);
        Assert.Equal(1u, (await ping).Ping.BaseBuild);
        Assert.NotNull((await maps).AvailableMaps);
    }

    [Fact]
    public async Task An_id_of_the_callers_comes_back_and_is_not_on_the_wire()
    {
        var onWire = new List<uint>();
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(request =>
        {
            onWire.Add(request.Id);
            return new Response { Ping = new ResponsePing() };
        }));
        await using var client = await ConnectAsync(game);
        Assert.Equal(7u, (await client.SendAsync(new Request { Ping = new RequestPing(), Id = 7 }, Ct)).Id);
        Assert.False((await client.SendAsync(Ping, Ct)).HasId);
        Assert.Equal(2, onWire.Distinct().Count());
        Assert.DoesNotContain(7u, onWire);
    }

    [Fact]
    public async Task Requests_go_out_in_the_order_of_the_calls_even_if_they_wait_for_their_turn()
    {
        var (heard, all) = (new List<uint>(), new TaskCompletionSource());
        await using var game = ScriptedGame.Start(async connection =>
        {
            await all.Task;
            await connection.ServeAsync(request =>
            {
                heard.Add(request.Debug.Debug[0].Draw.Text[0].Size);
                return new Response { Debug = new ResponseDebug() };
            });
        });
        await using var client = await ConnectAsync(game);

        // More than the socket's buffer holds, so that most of it waits.
        var text = new string('x', 100_000);
        var asked = Enumerable.Range(0, 200).Select(number => client.ExchangeAsync(Numbered((uint)number), Ct)).ToList();
        all.SetResult();
        await Task.WhenAll(asked);
        Assert.Equal(Enumerable.Range(0, 200).Select(number => (uint)number), heard);

        Request Numbered(uint number) => new()
        {
            Debug = new RequestDebug
            {
                Debug =
                {
                    new DebugCommand
                    {
                        Draw = new DebugDraw { Text = { new DebugText { Size = number, Text = text } } },
                    },
                },
            },
        };
    }

    [Fact]
    public async Task Step_and_observation_go_out_before_either_is_answered()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            for (var loop = 1u; loop <= 3; loop++)
            {
                var step = await connection.ReadAsync();
                var observe = await connection.ReadAsync();
                await connection.AnswerAsync(step!, new Response { Step = new ResponseStep(), Status = Status.InGame });
                await connection.AnswerAsync(observe!, StandInGame.Observed(loop * step!.Step.Count));
            }

            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        foreach (var loop in new[] { 4u, 8u, 12u })
        {
            var stepped = await client.StepAndObserveAsync(4, disableFog: false, Ct);
            Assert.Empty(stepped.StepErrors);
            Assert.Equal(loop, ResponseObservation.Parser.ParseFrom(stepped.Observation.Body).Observation.GameLoop);
            Assert.True(stepped.Observation.ObservedNs > stepped.Observation.RequestedNs);
            stepped.Observation.Buffer.Release();
        }
    }

    [Fact]
    public async Task A_cancelled_call_still_reads_its_answer()
    {
        var cancelled = new TaskCompletionSource();
        await using var game = ScriptedGame.Start(async connection =>
        {
            var first = await connection.ReadAsync();
            await cancelled.Task;
            await connection.AnswerAsync(first!, new Response { Ping = new ResponsePing { BaseBuild = 1 } });
            await connection.AnswerAsync(
                (await connection.ReadAsync())!, new Response { Ping = new ResponsePing { BaseBuild = 2 } });
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        using var cancel = new CancellationTokenSource();
        var first = client.SendAsync(Ping, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        cancelled.SetResult();
        Assert.Equal(2u, (await client.SendAsync(Ping, Ct)).Ping.BaseBuild);
    }

    [Fact]
    public async Task Messages_of_megabytes_pass()
    {
        var version = new string('x', 3_000_000);
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(
            _ => new Response { Ping = new ResponsePing { GameVersion = version } }));
        await using var client = await ConnectAsync(game);
        Assert.Equal(version, (await client.SendAsync(Ping, Ct)).Ping.GameVersion);
        Assert.Equal(version, (await client.SendAsync(Ping, Ct)).Ping.GameVersion);
    }

    [Fact]
    public async Task A_message_past_the_bound_is_one_clear_error()
    {
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(
            _ => new Response { Ping = new ResponsePing { GameVersion = new string('x', 300_000) } }));
        await using var client = await ConnectAsync(game, new GameClientOptions { LongestMessage = 200_000 });
        await FailsAsync(client, "longer than 200000 bytes");
    }

    [Fact]
    public async Task An_error_list_is_a_refusal_that_names_the_request_and_leaves_the_connection_whole()
    {
        var answers = new Queue<Response>(
        [
            StandInGame.Refused("The sky is falling"),
            new Response { Status = Status.Launched, CreateGame = new ResponseCreateGame
            {
                Error = ResponseCreateGame.Types.Error.InvalidMapPath, ErrorDetails = "no such file",
            } },
            new Response { Ping = new ResponsePing() },
        ]);
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(_ => answers.Dequeue()));
        await using var client = await ConnectAsync(game);
        var refused = await Assert.ThrowsAsync<GameRequestException>(() => client.SendAsync(Ping, Ct));
        Assert.Equal("The game refused ping: The sky is falling", refused.Message);
        var typed = await Assert.ThrowsAsync<GameRequestException>(
            () => client.SendAsync(new Request { CreateGame = new RequestCreateGame() }, Ct));
        Assert.Equal("The game refused create_game: InvalidMapPath (no such file)", typed.Message);
        Assert.NotNull((await client.SendAsync(Ping, Ct)).Ping);
    }

    [Fact]
    public async Task An_error_beside_a_body_leaves_the_answer()
    {
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(
            _ => new Response { Ping = new ResponsePing { BaseBuild = 7 }, Error = { "odd" } }));
        await using var client = await ConnectAsync(game);
        Assert.Equal(7u, (await client.SendAsync(Ping, Ct)).Ping.BaseBuild);
    }

    [Fact]
    public async Task A_failure_keeps_the_stack_of_its_cause_for_whoever_asks_later()
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            await connection.ReadAsync();
            await connection.SendAsync([0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        var later = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        Assert.Contains("GameConnection.ReadAnswers()", later.StackTrace, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Requests_that_the_state_forbids_are_refused_without_asking_the_game()
    {
        var asked = 0;
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(_ =>
        {
            asked++;
            return new Response { Ping = new ResponsePing(), Status = Status.Launched };
        }));
        await using var client = await ConnectAsync(game);
        await client.SendAsync(Ping, Ct);
        var refused = await Assert.ThrowsAsync<GameRequestException>(
            () => client.SendAsync(new Request { Step = new RequestStep() }, Ct));
        Assert.Contains("launched", refused.Message, StringComparison.Ordinal);
        await client.SendAsync(Ping, Ct);
        Assert.Equal(2, asked);
    }

    [Fact]
    public async Task Silence_is_one_clear_error()
    {
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(_ => null));
        await using var client = await ConnectAsync(
            game, new GameClientOptions { RequestTimeout = TimeSpan.FromMilliseconds(80) });
        await FailsAsync(client, "The game hangs: no answer to ping in 0.08 s");
    }

    [Fact]
    public Task Garbage_is_one_clear_error() =>
        BreaksAsync(c => c.SendAsync([0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), "is not a Response");

    [Fact]
    public Task A_truncated_answer_is_one_clear_error() =>
        BreaksAsync(
            c => c.SendAsync(new Response { Ping = new ResponsePing { GameVersion = "5.0.14" } }.ToByteArray()[..^3]),
            "is not a Response");

    [Fact]
    public Task A_body_that_does_not_parse_is_one_clear_error() =>
        BreaksAsync(c => c.SendAsync([0x9A, 0x01, 0x02, 0x0A, 0x7F]), "is not a Response");

    [Fact]
    public Task Text_is_one_clear_error() =>
        BreaksAsync(
            c => c.SendAsync("hello"u8.ToArray(), System.Net.WebSockets.WebSocketMessageType.Text), "sent text");

    [Fact]
    public Task A_wrong_id_is_one_clear_error() =>
        BreaksAsync(c => c.SendAsync(new Response { Ping = new ResponsePing(), Id = 5 }.ToByteArray()),
            "with id 5 (expected");

    [Fact]
    public Task An_answer_of_another_kind_is_one_clear_error() =>
        BreaksAsync(c => c.SendAsync(new Response { Quit = new ResponseQuit() }.ToByteArray()),
            "answered ping with quit");

    [Fact]
    public Task An_empty_answer_is_one_clear_error() => BreaksAsync(c => c.SendAsync([]), "with neither a body nor an error");

    [Fact]
    public Task A_socket_closed_between_messages_is_one_clear_error() =>
        BreaksAsync(
            c =>
            {
                c.Cut();
                return Task.CompletedTask;
            },
            "connection broke while ping waited");

    [Fact]
    public Task A_socket_closed_in_the_middle_of_a_frame_is_one_clear_error() =>
        BreaksAsync(
            async c =>
            {
                // A binary frame that announces 262,144 bytes, more than one receive call takes.
                await c.Stream.WriteAsync(new byte[] { 0x82, 127, 0, 0, 0, 0, 0, 4, 0, 0 });
                await c.Stream.WriteAsync(new byte[200_000]);
                c.Stream.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
            },
            "in the middle of a message while ping waited");

    [Fact]
    public async Task Random_bytes_never_raise_anything_else()
    {
        var random = new Random(20170721);
        for (var i = 0; i < 100; i++)
        {
            var bytes = new byte[random.Next(1, 60)];
            random.NextBytes(bytes);
            await BreaksAsync(c => c.SendAsync(bytes), "");
        }
    }

    private static async Task BreaksAsync(Func<ScriptedConnection, Task> script, string message)
    {
        await using var game = ScriptedGame.Start(async connection =>
        {
            await connection.ReadAsync();
            await connection.ReadAsync();
            await script(connection);
            await connection.ReadAsync();
        });
        await using var client = await ConnectAsync(game);
        var first = client.SendAsync(Ping, Ct);
        var second = client.SendAsync(Ping, Ct);
        var failure = await Assert.ThrowsAnyAsync<GameException>(() => first);
        if (failure is not GameRequestException)
        {
            Assert.Contains(message, failure.Message, StringComparison.Ordinal);
            Assert.DoesNotContain('\n', failure.Message);
            Assert.Same(failure, await Assert.ThrowsAsync<GameException>(() => second));
        }
    }

    private static async Task FailsAsync(GameClient client, string message)
    {
        var waiting = client.SendAsync(Ping, Ct);
        var failure = await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct));
        Assert.Contains(message, failure.Message, StringComparison.Ordinal);
        Assert.Same(failure, await Assert.ThrowsAsync<GameException>(() => waiting));
        Assert.Same(failure, await Assert.ThrowsAsync<GameException>(() => client.SendAsync(Ping, Ct)));
    }

    private static async Task<GameClient> ConnectAsync(ScriptedGame game, GameClientOptions? options = null) =>
        new(
            await GameConnector.OpenAsync(game.Address, TimeSpan.FromSeconds(30), null, Ct),
            options ?? new GameClientOptions());
}
