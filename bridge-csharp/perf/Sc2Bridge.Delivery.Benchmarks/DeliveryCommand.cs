using System.CommandLine;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>The command <c>delivery</c>.</summary>
internal static class DeliveryCommand
{
    public static Command Create()
    {
        var python = new Option<string>("--python")
        {
            Description = "The interpreter of the clients (grpcio, websockets, zstandard, protobuf)",
            DefaultValueFactory = _ => PythonScript.DefaultPython,
        };
        var rounds = CommonOptions.Number("--rounds", "Rounds of each server", 7);
        var count = CommonOptions.Number("--count", "Frames of a round at the rate", 90);
        var trips = CommonOptions.Number("--round-trips", "Lockstep round trips of a round", 2000);
        var rate = CommonOptions.Number("--rate", "Frames a second", 22.4);
        var only = new Option<string[]>("--only")
        {
            Description = "Only the servers whose name holds this",
            AllowMultipleArgumentsPerToken = true,
        };
        var quick = new Option<bool>("--quick")
        {
            Description = "Only checks that every client gets every byte; measures nothing",
        };
        var frames = CommonOptions.Frames();
        var json = CommonOptions.Json();
        var command = new Command(
            "delivery", "One way and lockstep, to Python: raw TCP, bare Kestrel handlers, the bridge")
        {
            python, rounds, count, trips, rate, only, quick, frames, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var source = FrameSource.Open(parsed.GetValue(frames), ct);
            await using var targets = await DeliveryTargets.StartAsync(source, parsed.GetValue(only) ?? [], ct);
            var interpreter = parsed.GetValue(python)!;
            if (parsed.GetValue(quick))
            {
                var checks = await DeliveryCheck.RunAsync(targets.All, source, interpreter, ct);
                Console.WriteLine(string.Join('\n', checks));
                return 0;
            }

            var options = new DeliveryOptions(
                interpreter,
                parsed.GetValue(rounds),
                parsed.GetValue(count),
                parsed.GetValue(trips),
                parsed.GetValue(rate));
            var report = await DeliveryBenchmark.RunAsync(
                targets.All, source, options, line => Console.Error.WriteLine(line), ct);
            Console.WriteLine(DeliveryTable.Write(report));
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }
}

/// <summary>The servers of one run.</summary>
internal sealed class DeliveryTargets : IAsyncDisposable
{
    private readonly List<IDeliveryTarget> _all = [];
    private BridgeHost? _bridge;

    /// <summary>In the order of the table.</summary>
    public IReadOnlyList<IDeliveryTarget> All => _all;

    public static async Task<DeliveryTargets> StartAsync(MeasuredFrames frames, string[] only, CancellationToken ct)
    {
        var targets = new DeliveryTargets();
        targets._all.Add(new RawTcpTarget(frames));
        var grpc = new BareGrpcTarget(frames);
        targets._all.Add(grpc);
        await grpc.StartAsync(ct);
        var webSocket = new BareWebSocketTarget(frames);
        targets._all.Add(webSocket);
        await webSocket.StartAsync(ct);

        targets._bridge = await BridgeHost.StartAsync(ct);
        foreach (var isGrouped in new[] { false, true })
        {
            targets._all.Add(new BridgeTarget(targets._bridge, "grpc", isGrouped, frames));
            targets._all.Add(new BridgeTarget(targets._bridge, "websocket", isGrouped, frames));
        }

        var unwanted = targets._all.FindAll(target => only.Length > 0 && !only.Any(target.Name.Contains));
        foreach (var target in unwanted)
        {
            targets._all.Remove(target);
            await target.DisposeAsync();
        }

        return targets;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var target in _all)
        {
            await target.DisposeAsync();
        }

        if (_bridge is not null)
        {
            await _bridge.DisposeAsync();
        }
    }
}
