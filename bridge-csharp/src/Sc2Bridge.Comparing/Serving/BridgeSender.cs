using Sc2Bridge.Comparing.Running;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Measuring;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Comparing.Serving;

/// <summary>The bridge as it runs in a match, without logs and recorder: runner, hub, transports.</summary>
internal sealed class BridgeSender : ICellSender
{
    private readonly Hub _hub;
    private readonly BridgeServer _server;
    private readonly BridgeServer? _unix;

    private BridgeSender(Hub hub, BridgeServer server, BridgeServer? unix)
    {
        _hub = hub;
        _server = server;
        _unix = unix;
        Addresses = new SenderAddresses(
            server.GrpcAddress,
            server.WebAddress,
            unix is null ? "" : unix.GrpcAddress[BridgeAddress.UnixScheme.Length..]);
    }

    /// <inheritdoc/>
    public SenderAddresses Addresses { get; }

    /// <summary>Listens on free ports, and on a Unix socket where there are such.</summary>
    public static async Task<BridgeSender> StartAsync(string host, string socket, CancellationToken ct)
    {
        var hub = new Hub(new HubOptions());
        var server = await BridgeServer.StartAsync(
            hub,
            new BridgeServerOptions { GrpcAddress = $"{host}:0", WebAddress = $"{host}:0", AllowDeflate = true },
            ct);
        var unix = OperatingSystem.IsWindows()
            ? null
            : await BridgeServer.StartAsync(
                hub,
                new BridgeServerOptions
                {
                    GrpcAddress = BridgeAddress.UnixScheme + socket,
                    WebAddress = null,
                },
                ct);
        return new BridgeSender(hub, server, unix);
    }

    /// <inheritdoc/>
    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        var runner = new MatchRunner(match, _hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(ct);
        try
        {
            await _hub.WaitForSubscribersAsync(subscribers, ct);
        }
        catch
        {
            _hub.End(new V1.MatchEnd { MatchId = match.Description.MatchId, Reason = "nobody came", Aborted = true });
            throw;
        }

        var end = await runner.RunAsync(ct);
        if (end.Aborted)
        {
            throw new MeasuringException(end.Reason);
        }

        while (_hub.Subscribers.Count > 0)
        {
            await Task.Delay(1, ct);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        await (_unix?.DisposeAsync() ?? ValueTask.CompletedTask);
        _hub.Dispose();
    }
}
