namespace Sc2Bridge.Server.Tests;

/// <summary>A client that does not read, or stays connected, cannot delay the bridge's end.</summary>
public sealed class StoppingTests
{
    private const int Large = 1 << 20;

    [Theory]
    [InlineData("grpc", true)]
    [InlineData("ws", true)]
    [InlineData("shm", true)]
    [InlineData("grpc", false)]
    [InlineData("ws", false)]
    [InlineData("shm", false)]
    public async Task The_bridge_stops_within_seconds_of_the_end_of_a_match(string transport, bool isStuck)
    {
        await using var match = await ServedMatch.StartAsync(options => options with
        {
            WebAddress = "127.0.0.1:0",
            SharedMemoryName = BridgeServerOptions.NewSharedMemoryName(),
        });
        using var agent = await AgentClient.ConnectAsync(match, transport);

        // It announces times but reports none, so the bridge waits for them until it stops.
        await agent.SubscribeAsync(match);
        await HoldsAsync(async () =>
        {
            await match.StepAsync(1, isStuck ? Large : 100);
            return !isStuck || match.Hub.Subscribers.Single().Queued >= 8;
        });
        match.End();
        await HoldsAsync(() => match.Hub.Subscribers.All(one => one.HasEnded));
        await match.Server.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromMinutes(1), Ct);
        Assert.Empty(match.Hub.Subscribers);
    }

    [Theory]
    [InlineData("ws")]
    [InlineData("json")]
    [InlineData("shm")]
    [Trait("Suite", "Slow")]
    public async Task A_client_that_does_not_answer_a_close_from_before_the_stop_delays_the_stop_by_seconds(string transport)
    {
        await using var match = await ServedMatch.StartEverywhereAsync(TokenStore.Empty);
        using var agent = await AgentClient.ConnectAsync(match, transport, answersClose: false);
        await agent.SubscribeAsync(match, reportsTimes: false);
        await match.StepAsync(1);
        match.End();
        while (await agent.NextAsync() is not null)
        {
            // Reads up to the close at the end of the match. The client then has minutes to answer the close.
        }

        await match.Server.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(15), Ct);
        Assert.Empty(match.Hub.Subscribers);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Suite", "Slow")]
    public async Task A_Foxglove_client_that_does_not_answer_the_close_or_reads_nothing_delays_the_stop_by_seconds(bool reads)
    {
        var match = await WebSocketMatch.StartAsync();
        using var client = await FoxgloveSocketClient.ConnectAsync(match, FoxgloveSession.Sdk);
        await client.TopicsAsync();
        if (reads)
        {
            match.End();
            await client.UntilClosedAsync();
        }
        else
        {
            await client.SubscribeAsync((1, "/observation/2"));
            await client.HandledAsync();
            for (var step = 0u; step < 20; step++)
            {
                await match.PublishAsync(WebSocketMatch.Observation(step, Large).ToByteArray());
            }
        }

        await match.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(15), Ct);
    }
}
