using System.Diagnostics.Metrics;

namespace Sc2Bridge.Server.Tests;

/// <summary>A start that is cancelled. The meters are shared by the process, so no other test runs at the same time.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class GivenUpStartTests
{
    [Fact]
    public async Task A_start_that_is_given_up_leaves_nothing_that_listens_to_the_meters()
    {
        using var meter = new Meter("Sc2Bridge");
        var counter = meter.CreateCounter<long>("test.starts");
        using var hub = new Hub(new HubOptions());
        var options = new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" };
        await using (await BridgeServer.StartAsync(hub, options, Ct))
        {
            Assert.True(counter.Enabled);
        }

        Assert.False(counter.Enabled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => BridgeServer.StartAsync(hub, options, new CancellationToken(canceled: true)));
        Assert.False(counter.Enabled);
    }
}
