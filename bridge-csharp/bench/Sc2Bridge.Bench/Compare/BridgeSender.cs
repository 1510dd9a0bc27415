using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>The bridge as it runs in a match, without logs and recorder: runner, hub, transports.</summary>
internal sealed class BridgeSender : IMeasurementSender
{
    private readonly BridgeHost _host;
    private readonly BridgeServer? _unix;

    private BridgeSender(BridgeHost host, BridgeServer? unix) => (_host, _unix) = (host, unix);

    public SenderAddresses Addresses => new(
        _host.GrpcAddress, _host.WebAddress, _unix is null ? "" : _unix.GrpcAddress[BridgeAddress.UnixScheme.Length..],
        Memory: _host.SharedMemoryAddress);

    /// <summary>Listens on free ports, and on a Unix socket where there are such.</summary>
    public static async Task<BridgeSender> StartAsync(string host, string socket, CancellationToken ct)
    {
        // The host of a slow link is a namespace of this machine: nobody else reaches it.
        var tcp = new BridgeServerOptions
        {
            GrpcAddress = $"{host}:0",
            WebAddress = $"{host}:0",
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
        var runner = new MatchRunner(match, _host.Hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(ct);
        try
        {
            await _host.Hub.WaitForSubscribersAsync(subscribers, ct);
        }
        catch
        {
            _host.Hub.End(new MatchEnd { MatchId = match.Description.MatchId, Reason = EndReason.Failed, Detail = "nobody came", Aborted = true });
            throw;
        }

        await BridgeHost.RunAsync(runner, ct);
        await _host.EmptyAsync(ct);
    }

    public async ValueTask DisposeAsync()
    {
        await (_unix?.DisposeAsync() ?? ValueTask.CompletedTask);
        await _host.DisposeAsync();
    }
}
