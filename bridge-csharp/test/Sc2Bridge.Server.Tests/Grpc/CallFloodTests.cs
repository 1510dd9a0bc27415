using System.Collections.Concurrent;
using Grpc.Core;
using SC2APIProtocol;
using Sc2Bridge.Server;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>An agent that sends more requests to the game than the limit.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class CallFloodTests
{
    private const int AtOnce = 500;

    [Fact]
    public async Task Endless_requests_are_refused_until_the_next_step_and_end_the_connection_if_they_go_on()
    {
        await using var match = await ServedMatch.StartAsync();
        using var flood = match.Client();
        using var other = match.Client();
        var told = new ConcurrentQueue<string>();
        match.Hub.Events.Noticed += told.Enqueue;
        var calls = 0;
        List<Exception> refused;
        do
        {
            calls += AtOnce;
            refused = await AskAsync(flood);
        }
        while (refused.Count == 0);

        Assert.InRange(calls, MessageRateLimiter.Burst, 10 * MessageRateLimiter.Burst);
        Assert.All(refused, one => Assert.True(IsTold(one)));
        Assert.Contains("messages after each step", refused[0].Message, StringComparison.Ordinal);
        Assert.Contains("in one query", refused[0].Message, StringComparison.Ordinal);
        Assert.Matches(@"^the client at 127\.0\.0\.1:\d+ exceeded the limit of ", Assert.Single(told.Of(match.Hub)));

        // Other agents are not limited by it, and a step allows more requests.
        await OnceAsync(other);
        await match.PublishAsync(1);
        await match.PublishAsync(2);
        Assert.Empty(await AskAsync(flood));

        for (var count = 0; refused.TrueForAll(IsTold); count += AtOnce)
        {
            Assert.True(count < 20 * MessageRateLimiter.Burst, "It is never cut off.");
            refused = await AskAsync(flood);
        }

        await OnceAsync(other);
        Assert.Equal(2, told.Of(match.Hub).Count);
        Assert.Matches(@"^the client at 127\.0\.0\.1:\d+ was disconnected: ", told.Last());
    }

    [Fact]
    public async Task Requests_of_two_connections_take_turns()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var other = match.Client();
        using var go = new SemaphoreSlim(0);
        match.OnPing = async () =>
        {
            await go.WaitAsync(Ct);
            return new Response { Ping = new ResponsePing() };
        };
        var pings = Enumerable.Range(0, 64)
            .Select(_ => client.CallGameAsync(
                new CallGameRequest { Request = new Request { Ping = new RequestPing() } }, cancellationToken: Ct).ResponseAsync)
            .ToList();
        await HoldsAsync(() => match.Pinged == 16);
        var asked = OnceAsync(other);
        while (!asked.IsCompleted)
        {
            // The bridge may not have received it yet.
            var pinged = match.Pinged;
            go.Release();
            await HoldsAsync(() => match.Pinged > pinged || asked.IsCompleted);
        }

        await asked;
        Assert.InRange(match.Pinged, 16, pings.Count - 1);
        go.Release(pings.Count);
        await Task.WhenAll(pings);
    }

    private static bool IsTold(Exception problem) => problem is RpcException { StatusCode: GrpcCode.ResourceExhausted };

    private static async Task<List<Exception>> AskAsync(GrpcClient client)
    {
        var refused = new List<Exception>();
        await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(async _ =>
        {
            try
            {
                await OnceAsync(client);
            }
            catch (Exception problem) when (!Ct.IsCancellationRequested)
            {
                lock (refused)
                {
                    refused.Add(problem);
                }
            }
        }));
        return refused;
    }

    private static Task<CallGameResponse> OnceAsync(GrpcClient client) => client.CallGameAsync(
        new CallGameRequest { Request = new Request { Query = new RequestQuery() } },
        cancellationToken: Ct).ResponseAsync;
}
