namespace Sc2Bridge.Server.Tests;

/// <summary>A client that does not read, or does not leave, cannot hold up the end of the bridge.</summary>
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

        // It announces times, and reports none: the bridge waits for them until it stops.
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
}
