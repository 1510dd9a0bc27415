using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>The bridge as it runs in a match, without logs and recorder: runner, hub, transports.</summary>
internal sealed class BridgeSender(BridgeHost host, BridgeServer? unix) : IMeasurementSender
{
    public SenderAddresses Addresses => new(
        host.GrpcAddress, host.WebAddress, unix is null ? "" : unix.GrpcAddress[BridgeAddress.UnixScheme.Length..],
        Memory: host.SharedMemoryAddress);

    /// <summary>Listens on free ports, and on a Unix socket if the system supports it.</summary>
    public static async Task<BridgeSender> StartAsync(string address, string socket, CancellationToken ct)
    {
        // A slow link's host is a network namespace of this machine, which no other machine can reach.
        var tcp = new BridgeServerOptions
        {
            GrpcAddress = $"{address}:0",
            WebAddress = $"{address}:0",
            AllowDeflate = true,
            AllowAnonymous = true,
        };
        var bridge = await BridgeHost.StartEmptyAsync(ct, options: tcp);
        var path = new BridgeServerOptions { GrpcAddress = BridgeAddress.UnixScheme + socket, WebAddress = null, Admission = BridgeHost.Admission };
        return new BridgeSender(
            bridge, OperatingSystem.IsWindows() ? null : await BridgeServer.StartAsync(bridge.Hub, path, ct));
    }

    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        var runner = new MatchRunner(match, host.Hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(ct);
        await host.Hub.WaitForSubscribersAsync(subscribers, ct);
        await BridgeHost.RunAsync(runner, ct);
        await host.EmptyAsync(ct);
    }

    public async ValueTask DisposeAsync()
    {
        await (unix?.DisposeAsync() ?? ValueTask.CompletedTask);
        await host.DisposeAsync();
    }
}
