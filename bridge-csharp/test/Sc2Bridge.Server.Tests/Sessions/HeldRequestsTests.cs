using SC2APIProtocol;

namespace Sc2Bridge.Server.Tests;

/// <summary>The memory of requests that wait, and of answers that their clients do not read.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class HeldRequestsTests
{
    private const long Ceiling = MemoryLedger.LeastCeiling;

    public static TheoryData<string> Transports { get; } = ["grpc", "json", "ws", "shm"];

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_request_of_many_empty_messages_is_refused_by_the_memory_of_its_objects(string transport)
    {
        await using var match = await StartAsync();
        var draw = new DebugDraw();
        draw.Text.AddRange(Enumerable.Repeat(new DebugText(), 200_000));
        var request = new Request { Debug = new RequestDebug { Debug = { new DebugCommand { Draw = draw } } } };
        var refused = await AgentClient.AskAsync(match, transport, "", new() { CallGame = new() { Request = request } });
        Assert.Equal(StatusCode.ResourceExhausted, refused!.Code);
        Assert.Contains("takes more than 8 MiB of memory", refused.Message, StringComparison.Ordinal);
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
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
        await greedy.SendAsync(new() { RequestId = 1, CallGame = new() { Request = new() { Ping = new() } } });
        await HoldsAsync(() => match.Pinged == 1);
        for (var id = 2u; id <= 20; id++)
        {
            await greedy.SendAsync(new() { RequestId = id, CallGame = Query(10_000) });
        }

        // Each takes some 3 MB. A refusal comes before the answers to requests that wait.
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
        for (var left = 20 - refused; left > 0; left--)
        {
            Assert.NotNull((await greedy.NextAsync())!.CallGame);
        }

        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    [Fact]
    public async Task Calls_that_wait_are_charged_and_bounded()
    {
        await using var match = await StartAsync();
        var go = new TaskCompletionSource<Response>(TaskCreationOptions.RunContinuationsAsynchronously);
        match.OnPing = () => go.Task;
        using var greedy = match.Client();
        var ping = greedy.CallGameAsync(new() { Request = new() { Ping = new() } }, cancellationToken: Ct);
        await HoldsAsync(() => match.Pinged == 1);
        var calls = Enumerable.Range(0, 20).Select(_ => greedy.CallGameAsync(Query(10_000), cancellationToken: Ct).ResponseAsync).ToList();
        await HoldsAsync(() => calls.Count(one => one.IsFaulted) >= 10);
        go.SetResult(new Response { Ping = new ResponsePing() });
        await ping;
        await Task.WhenAll(calls).ContinueWith(static _ => { }, TaskScheduler.Default);
        Assert.InRange(calls.Count(one => one.IsCompletedSuccessfully), 2, 10);
        Assert.All(
            calls.Where(one => one.IsFaulted),
            one => Assert.Equal(Grpc.Core.StatusCode.ResourceExhausted, Assert.IsType<Grpc.Core.RpcException>(one.Exception!.InnerException).StatusCode));
        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    [Theory]
    [InlineData("json")]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task The_game_gets_the_next_request_when_the_answer_before_it_was_read(string transport)
    {
        await using var match = await StartAsync();
        var answer = new Response { SaveReplay = new() { Data = ByteString.CopyFrom(new byte[16 << 20]) } };
        match.OnPing = () => Task.FromResult(answer);
        using var agent = await AgentClient.ConnectAsync(match, transport);
        for (var id = 1u; id <= 10; id++)
        {
            await agent.SendAsync(new() { RequestId = id, CallGame = new() { Request = new() { Ping = new() } } });
        }

        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] > answer.CalculateSize());
        Assert.Equal(1, match.Pinged);

        // No other answer as long as this one is held meanwhile.
        using var other = await AgentClient.ConnectAsync(match, transport);
        await other.SendAsync(new() { CallGame = new() { Request = new() { Ping = new() } } });
        Assert.Equal(StatusCode.ResourceExhausted, (await other.NextAsync())!.Error.Code);
        await other.SendAsync(new() { CallGame = Query(500) });
        Assert.NotNull((await other.NextAsync())!.CallGame);
        for (var id = 1u; id <= 10; id++)
        {
            Assert.Equal(id, (await agent.NextAsync())!.RequestId);
        }

        await HoldsAsync(() => match.Hub.Memory[MemoryAccount.Requests] == 0);
    }

    private static Task<ServedMatch> StartAsync() => ServedMatch.StartAsync(
        change: options => options with { WebAddress = "127.0.0.1:0", SharedMemoryName = BridgeServerOptions.NewSharedMemoryName() },
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
