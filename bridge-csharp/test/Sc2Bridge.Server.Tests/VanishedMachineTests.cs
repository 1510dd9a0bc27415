using System.Diagnostics;

namespace Sc2Bridge.Server.Tests;

/// <summary>A client's machine that disappears without closing connections: its link, in a network namespace, is taken down.</summary>
public sealed class VanishedMachineTests
{
    private const string Agent = """
        import socket, sys, time
        held = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        held.sendall(bytes.fromhex(sys.argv[3]))
        while sys.argv[4] == "reads" and held.recv(1 << 16): pass
        time.sleep(600)
        """;

    [Theory]
    [InlineData("reads")]
    [InlineData("stalls")]
    [Trait("Suite", "Slow")]
    public async Task A_subscriber_over_gRPC_is_gone_within_the_time(string how)
    {
        await using var machine = await FarMachine.MakeAsync();
        using var admission = new ConnectionAdmission(new AdmissionLimits { SilenceTimeout = TimeSpan.FromSeconds(2) });
        await using var match = await ServedMatch.StartAsync(
            options => options with { Admission = admission, AllowAnonymous = true, GrpcAddress = $"{machine.Here}:0" });
        byte[] call =
        [
            .. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, .. RawHttp2.Frame(RawHttp2.Settings, 0, 0, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF]),
            .. RawHttp2.Frame(RawHttp2.WindowUpdate, 0, 0, [0x7F, 0, 0, 0]),
            .. RawHttp2.Call(1, RawHttp2.CallHeaders("/sc2bridge.v1.BridgeService/Play"), new PlayRequest { Subscribe = new() }.ToByteArray()),
        ];
        machine.Python(Agent, machine.Here, $"{IPEndPoint.Parse(match.Address).Port}", Convert.ToHexString(call), how);
        await match.Hub.WaitForSubscribersAsync(1, Ct);

        // A client that does not read has frames in the hub, the server and the socket. It stays, because its system acknowledges packets.
        for (var step = 0u; step < 300; step++)
        {
            await match.PublishAsync(step, 160 << 10);
        }

        await Task.Delay(TimeSpan.FromSeconds(5), Ct);
        Assert.Single(match.Hub.Subscribers);
        if (how == "stalls")
        {
            return;
        }

        await machine.VanishAsync();
        var watch = Stopwatch.StartNew();
        for (var step = 300u; match.Hub.Subscribers.Count > 0; step++)
        {
            await match.PublishAsync(step, 160 << 10);
            await Task.Delay(20, Ct);
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(15), "It is still connected.");
        }
    }
}
