using System.Diagnostics;
using System.Net;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server.Tests;

/// <summary>A client whose machine is gone without a word: its link, in a network namespace, is taken down.</summary>
public sealed class VanishedMachineTests
{
    private const string Agent = """
        import socket, sys, time
        held = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        held.sendall(bytes.fromhex(sys.argv[3]))
        while sys.argv[4] == "reads" and held.recv(1 << 16): pass
        time.sleep(600)
        """;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("reads")]
    [InlineData("stalls")]
    [Trait("Suite", "Slow")]
    public async Task A_subscriber_over_gRPC_is_gone_within_the_time(string how)
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
        {
            Assert.Skip("needs network namespaces: root on Linux");
        }

        var name = $"sc2v{Environment.ProcessId % 10_000}{how[0]}";
        var near = $"10.232.{Environment.ProcessId % 250}.{(how == "reads" ? 1 : 5)}";
        var far = $"10.232.{Environment.ProcessId % 250}.{(how == "reads" ? 2 : 6)}";
        Process? agent = null;
        await Ip("netns", "add", name);
        try
        {
            await Ip("link", "add", $"{name}a", "type", "veth", "peer", "name", $"{name}b", "netns", name);
            await Ip("addr", "add", $"{near}/30", "dev", $"{name}a");
            await Ip("link", "set", $"{name}a", "up");
            await Ip("-n", name, "addr", "add", $"{far}/30", "dev", $"{name}b");
            await Ip("-n", name, "link", "set", $"{name}b", "up");
            using var admission = new ConnectionAdmission(new AdmissionLimits { SilenceTimeout = TimeSpan.FromSeconds(2) });
            await using var match = await ServedMatch.StartAsync(
                options => options with { Admission = admission, AllowAnonymous = true, GrpcAddress = $"{near}:0" });
            byte[] call =
            [
                .. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, .. RawHttp2.Frame(RawHttp2.Settings, 0, 0, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF]),
                .. RawHttp2.Frame(RawHttp2.WindowUpdate, 0, 0, [0x7F, 0, 0, 0]),
                .. RawHttp2.Call(1, RawHttp2.CallHeaders("/sc2bridge.v1.Bridge/Subscribe"), []),
            ];
            agent = Process.Start(
                "ip",
                [
                    "netns", "exec", name, "python3", "-c", Agent, near, $"{IPEndPoint.Parse(match.Address).Port}",
                    Convert.ToHexString(call), how,
                ]);
            await match.Hub.WaitForSubscribersAsync(1, Token);

            // One that reads nothing has its frames in the hub, the server and the socket: it stays, as it acknowledges.
            for (var step = 0u; step < 300; step++)
            {
                await match.PublishAsync(step, 160 << 10);
            }

            await Task.Delay(TimeSpan.FromSeconds(5), Token);
            Assert.Single(match.Hub.Subscribers);
            if (how == "stalls")
            {
                return;
            }

            await Ip("link", "set", $"{name}a", "down");
            var watch = Stopwatch.StartNew();
            for (var step = 300u; match.Hub.Subscribers.Count > 0; step++)
            {
                await match.PublishAsync(step, 160 << 10);
                await Task.Delay(20, Token);
                Assert.True(watch.Elapsed < TimeSpan.FromSeconds(15), "It is still connected.");
            }
        }
        finally
        {
            agent?.Kill(entireProcessTree: true);
            agent?.Dispose();
            await Ip("netns", "del", name);
        }
    }

    private static async Task Ip(params string[] arguments)
    {
        using var process = Process.Start("ip", arguments);
        await process.WaitForExitAsync(Token);
        Assert.Equal(0, process.ExitCode);
    }
}
