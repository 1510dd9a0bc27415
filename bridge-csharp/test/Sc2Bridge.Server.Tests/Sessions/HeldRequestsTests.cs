using SC2APIProtocol;

namespace Sc2Bridge.Server.Tests;

/// <summary>The memory for waiting requests, and for answers that their clients do not read.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class HeldRequestsTests
{
    private const long Ceiling = MemoryLedger.LeastCeiling;
    private const int AtOnce = 16;

    private static readonly string _watcher = new('w', 16);
    private static readonly string _player = new('p', 16);

    public static TheoryData<string> Transports { get; } = ["grpc", "json", "ws", "shm"];

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_request_of_many_empty_messages_is_refused_by_the_memory_of_its_objects(string transport)
    {
        await using var match = await StartAsync();
        var draw = new DebugDraw();
        draw.Text.AddRange(Enumerable.Repeat(new DebugText(), 600_000));
        var request = new Request { Debug = new RequestDebug { Debug = { new DebugCommand { Draw = draw } } } };
        var refused = await AgentClient.AskAsync(match, transport, "", new() { CallGame = new() { Request = request } });
        Assert.Equal(StatusCode.ResourceExhausted, refused!.Code);
        Assert.Contains("takes more than 32 MiB of memory", refused.Message, StringComparison.Ordinal);
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_request_that_takes_too_much_memory_is_refused_with_the_remedy(string transport)
    {
        await using var match = await StartAsync();
        var draw = new DebugDraw { Text = { Enumerable.Repeat(new DebugText(), 150_000) } };
        var request = new Request { Debug = new RequestDebug { Debug = { new DebugCommand { Draw = draw } } } };
        var refused = await AgentClient.AskAsync(match, transport, "", new() { CallGame = new() { Request = request } });
        Assert.Equal(StatusCode.ResourceExhausted, refused!.Code);
        Assert.Contains("more than the 8 MiB", refused.Message, StringComparison.Ordinal);
        Assert.Contains("--memory", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("json")]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task Requests_that_wait_are_charged_and_bounded(string transport)
    {
        await using var match = await StartAsync();
        var go = new TaskCompletionSource<Response>(TaskCreationOptions.RunContinuationsAsynchronously);
        match.OnPing = () => go.Task;
        using var greedy = await AgentClient.ConnectAsync(match, transport);
        for (var id = 100u; id < 100 + AtOnce; id++)
        {
            await greedy.SendAsync(Ping(id));
        }

        await HoldsAsync(() => match.Pinged == AtOnce);
        for (var id = 1u; id <= 20; id++)
        {
            await greedy.SendAsync(new() { RequestId = id, CallGame = Query(10_000) });
        }

        // Each takes about 2 MB. A refusal arrives before the answers to waiting requests.
        await greedy.SendAsync(new() { Hello = new() });
        var refused = 0;
        for (var next = await greedy.NextAsync(); next!.Hello is null; next = await greedy.NextAsync())
        {
            Assert.Equal((StatusCode.ResourceExhausted, false), (next.Error.Code, next.Error.Fatal));
            refused++;
        }

        Assert.InRange(refused, 10, 18);
        Assert.InRange(match.Hub.Memory[MemoryAccount.Requests], 4 << 20, (Ceiling / 8) + (1 << 20));

        // A small request of another client is accepted.
        using var other = await AgentClient.ConnectAsync(match, transport);
        await other.SendAsync(new() { CallGame = Query(100) });
        await other.SendAsync(new() { Hello = new() });
        Assert.NotNull((await other.NextAsync())!.Hello);
        go.SetResult(new Response { Ping = new ResponsePing() });
        Assert.Equal(100, (await other.NextAsync())!.CallGame.Response.Query.Pathing.Count);
        for (var left = AtOnce + 20 - refused; left > 0; left--)
        {
            Assert.NotNull((await greedy.NextAsync())!.CallGame);
        }

        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    [Theory]
    [InlineData("json")]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task A_request_is_charged_while_too_many_others_of_its_session_wait(string transport)
    {
        await using var match = await StartAsync();
        using var agent = await AgentClient.ConnectAsync(match, transport);
        for (var id = 1u; id <= SessionLimits.MostPendingCalls; id++)
        {
            await agent.SendAsync(Ping(id));
        }

        await HoldsAsync(() => match.Pinged == AtOnce);
        await agent.SendAsync(new() { RequestId = 100, CallGame = Query(10_000) });
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] > 1 << 20);
    }

    [Fact]
    public async Task Calls_that_wait_are_charged_and_bounded()
    {
        await using var match = await StartAsync();
        var go = new TaskCompletionSource<Response>(TaskCreationOptions.RunContinuationsAsynchronously);
        match.OnPing = () => go.Task;
        using var greedy = match.Client();
        var pings = Enumerable.Range(0, AtOnce).Select(_ => greedy.CallGameAsync(Ping(1).CallGame, cancellationToken: Ct).ResponseAsync).ToList();
        await HoldsAsync(() => match.Pinged == AtOnce);
        var calls = Enumerable.Range(0, 20).Select(_ => greedy.CallGameAsync(Query(10_000), cancellationToken: Ct).ResponseAsync).ToList();
        await HoldsAsync(() => calls.Count(one => one.IsFaulted) >= 10);
        go.SetResult(new Response { Ping = new ResponsePing() });
        await Task.WhenAll(pings);
        await Task.WhenAll(calls).ContinueWith(static _ => { }, TaskScheduler.Default);
        Assert.InRange(calls.Count(one => one.IsCompletedSuccessfully), 2, 10);
        Assert.All(
            calls.Where(one => one.IsFaulted),
            one => Assert.Equal(Grpc.Core.StatusCode.ResourceExhausted, Assert.IsType<Grpc.Core.RpcException>(one.Exception!.InnerException).StatusCode));
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    [Theory]
    [InlineData("json", Traits = ["Suite", "Long"])]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task The_game_gets_the_next_requests_when_the_answers_before_them_were_read(string transport)
    {
        await using var match = await StartAsync();
        var answer = new Response { SaveReplay = new() { Data = ByteString.CopyFrom(new byte[16 << 20]) } };
        match.OnPing = () => Task.FromResult(answer);
        using var agent = await AgentClient.ConnectAsync(match, transport);
        for (var id = 1u; id <= 24; id++)
        {
            await agent.SendAsync(Ping(id));
        }

        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] > answer.CalculateSize());

        // Meanwhile this client gets no second answer of that length, but another client gets one.
        using var other = await AgentClient.ConnectAsync(match, transport);
        await other.SendAsync(Ping(1));
        Assert.NotNull((await other.NextAsync())!.CallGame);
        await other.SendAsync(new() { CallGame = Query(10_000) });
        Assert.NotNull((await other.NextAsync())!.CallGame);
        Assert.InRange(match.Pinged, 2, AtOnce + 1);
        var answered = 0;
        for (var count = 0; count < 24; count++)
        {
            var next = (await agent.NextAsync())!;
            Assert.True(next.CallGame is not null || next.Error is { Code: StatusCode.ResourceExhausted, Fatal: false });
            answered += next.CallGame is null ? 0 : 1;
        }

        Assert.InRange(answered, 1, 24);
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Fifty_requests_that_a_client_sends_at_once_take_a_few_steps_of_real_time(string transport)
    {
        await using var match = await StartAsync();
        var step = NewStep();
        match.OnPing = () => step.Task;
        using var client = await AskerAsync(match, transport);
        var asked = Enumerable.Range(1, 50).Select(id => client.AskAsync(Ping((uint)id))).ToList();
        for (var steps = 1; steps <= 4; steps++)
        {
            await HoldsAsync(() => match.Pinged == Math.Min(50, AtOnce * steps));

            // The game answers the waiting requests when the step ends.
            var over = step;
            step = NewStep();
            over.SetResult(new Response { Ping = new ResponsePing() });
        }

        Assert.All(await Task.WhenAll(asked), Assert.Null);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Requests_of_one_side_do_not_wait_for_another_side_of_the_same_connection(string transport)
    {
        await using var match = await StartAsync();
        var step = NewStep();
        match.OnPing = () => step.Task;
        using var client = await AskerAsync(match, transport);

        // This side's game answers only after the other side's agent has finished its step.
        var waiting = Enumerable.Range(1, 40).Select(id => client.AskAsync(Ping((uint)id, ServedMatch.Side))).ToList();
        await HoldsAsync(() => match.Pinged == AtOnce);
        Assert.Null(await client.AskAsync(new() { RequestId = 100, CallGame = Query(1) }));
        step.SetResult(new Response { Ping = new ResponsePing() });
        Assert.All(await Task.WhenAll(waiting), Assert.Null);
    }

    [Fact]
    public async Task An_answer_over_gRPC_is_held_until_it_is_read()
    {
        await using var match = await StartAsync();
        var answer = LongAnswer();
        match.OnPing = () => Task.FromResult(answer);
        using var http = new HttpClient();
        using var unread = await UnreadAsync(match, http);
        using var other = match.Client();
        for (var count = 0; count < 10; count++)
        {
            await other.StatusAsync(new StatusRequest(), cancellationToken: Ct);
        }

        Assert.InRange(match.Hub.Memory[MemoryAccount.Requests], 3 * answer.CalculateSize(), 4 * answer.CalculateSize());
        using var refused = await UnreadAsync(match, http);
        Assert.Equal("8", refused.Headers.GetValues("grpc-status").Single());
        Assert.Contains("read your answers", Uri.UnescapeDataString(refused.Headers.GetValues("grpc-message").Single()), StringComparison.Ordinal);
        Assert.NotNull((await other.CallGameAsync(Ping(1).CallGame, cancellationToken: Ct)).Response);
        Assert.True((await unread.Content.ReadAsByteArrayAsync(Ct)).Length > answer.CalculateSize());
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
        using var next = await UnreadAsync(match, http);
        Assert.NotEmpty(await next.Content.ReadAsByteArrayAsync(Ct));
    }

    [Fact]
    public async Task A_call_whose_answer_is_never_read_is_reset()
    {
        await using var match = await StartAsync(options => options with { UnreadTimeout = TimeSpan.FromSeconds(1) });
        match.OnPing = () => Task.FromResult(LongAnswer());
        using var http = new HttpClient();
        using var unread = await UnreadAsync(match, http);
        await HoldsAsync(() => match.Pinged == 1 && match.Hub.Memory[MemoryAccount.Requests] == 0);
        await Assert.ThrowsAsync<HttpRequestException>(() => unread.Content.ReadAsByteArrayAsync(Ct));

        // The connection still works.
        match.OnPing = () => Task.FromResult(new Response { Ping = new ResponsePing() });
        using var next = await UnreadAsync(match, http);
        Assert.NotEmpty(await next.Content.ReadAsByteArrayAsync(Ct));
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Large_requests_of_watchers_do_not_have_a_players_refused(string transport)
    {
        await using var match = await StartAsync(options => options with
        {
            Tokens = TokenStore.Empty.With(_watcher, new Identity("watcher", Roles.Watch)).With(_player, new Identity("player", Roles.All)),
        }, new ManualClock());
        var step = NewStep();
        match.OnPing = () => step.Task;
        using var watcher = await AskerAsync(match, transport, _watcher);
        using var player = await AskerAsync(match, transport, _player);
        List<Task<Error?>> pings = [watcher.AskAsync(Ping(1))];
        await HoldsAsync(() => match.Pinged == 1);

        // gRPC handles calls in any order, so the large requests are sent when all pings wait in the bridge.
        var each = match.Hub.Memory[MemoryAccount.Requests];
        pings.AddRange(Enumerable.Range(2, AtOnce - 1).Select(id => watcher.AskAsync(Ping((uint)id))));
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == AtOnce * each);
        var large = Enumerable.Range(AtOnce + 1, 40).Select(id => watcher.AskAsync(new() { RequestId = (uint)id, CallGame = Query(2_500) })).ToList();
        await HoldsAsync(() => large.Any(one => one.IsCompleted));
        Assert.Equal(StatusCode.ResourceExhausted, (await await Task.WhenAny(large))!.Code);

        // A request without the permission does not wait either.
        var denied = await watcher.AskAsync(new() { RequestId = 100, CallGame = new() { Request = new() { SaveReplay = new() } } });
        Assert.Equal(StatusCode.PermissionDenied, denied!.Code);
        var asked = player.AskAsync(new() { RequestId = 1, CallGame = Query(10_000) });
        await HoldsAsync(() => asked.IsCompleted || match.Hub.Memory[MemoryAccount.Requests] > 11 << 19);
        step.SetResult(new Response { Ping = new ResponsePing() });
        Assert.Null(await asked);
        Assert.All(await Task.WhenAll(pings), Assert.Null);
        Assert.InRange((await Task.WhenAll(large)).Count(one => one is null), 3, 20);
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    private static Task<Asker> AskerAsync(ServedMatch match, string transport, string token = "") => Asker.ConnectAsync(match, transport, token);

    private static TaskCompletionSource<Response> NewStep() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private static Response LongAnswer() => new() { SaveReplay = new() { Data = ByteString.CopyFrom(new byte[4 << 20]) } };

    private static PlayRequest Ping(uint id, uint perspective = 0) =>
        new() { RequestId = id, CallGame = new() { Request = new() { Ping = new() }, Perspective = perspective } };

    // Returns when the headers of the answer have arrived.
    private static async Task<HttpResponseMessage> UnreadAsync(ServedMatch match, HttpClient http)
    {
        using var request = RawCall.Request(match, "CallGame", RawCall.Framed(Ping(1).CallGame));
        return await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Ct);
    }

    // While the clock does not move, watchers do not wait for their share of the game's time.
    private static Task<ServedMatch> StartAsync(Func<BridgeServerOptions, BridgeServerOptions>? change = null, TimeProvider? clock = null) => ServedMatch.StartAsync(
        change: options => (change ?? (same => same))(options with
        {
            WebAddress = "127.0.0.1:0",
            SharedMemoryName = BridgeServerOptions.NewSharedMemoryName(),
        }),
        time: clock,
        ceiling: Ceiling);

    private static CallGameRequest Query(int count)
    {
        var query = new RequestQuery();
        for (; count > 0; count--)
        {
            query.Pathing.Add(new RequestQueryPathing { StartPos = new() { X = 1, Y = 2 }, EndPos = new() { X = 3, Y = count } });
        }

        return new CallGameRequest { Request = new Request { Query = query } };
    }
}
