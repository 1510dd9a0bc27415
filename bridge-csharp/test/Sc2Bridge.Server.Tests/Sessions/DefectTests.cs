namespace Sc2Bridge.Server.Tests;

/// <summary>Defects of the bridge, as clients of each transport see them.</summary>
public sealed class DefectTests
{
    [Theory]
    [InlineData("grpc")]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task A_defect_ends_the_session_with_INTERNAL_and_is_logged_with_its_stack(string transport)
    {
        using var log = new KeptLog();
        var time = new BrokenTime();
        await using var match = await ServedMatch.StartAsync(
            change: options => options with
            {
                WebAddress = "127.0.0.1:0",
                SharedMemoryName = BridgeServerOptions.NewSharedMemoryName(),
                LoggerFactory = log,
            },
            time: time);
        using var agent = await AgentClient.ConnectAsync(match, transport);
        time.IsBroken = true;
        await agent.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest() });
        var error = (await agent.NextAsync())?.Error;
        Assert.Equal((StatusCode.Internal, true), (error?.Code, error?.Fatal));
        var entry = Assert.Single(log.Entries, entry => entry.Id.Id == 2001);
        Assert.Contains(nameof(BrokenTime), entry.Exception?.StackTrace, StringComparison.Ordinal);
    }

    private sealed class BrokenTime : TimeProvider
    {
        public bool IsBroken { get; set; }

        public override DateTimeOffset GetUtcNow() =>
            IsBroken ? throw new ObjectDisposedException("a defect") : base.GetUtcNow();
    }
}
