using System.Diagnostics;
using System.Net.WebSockets;
using Sc2Bridge.Admission;

namespace Sc2Bridge.Games.Tests.Served;

/// <summary>A client's machine that disappears without closing connections: its link, in a network namespace, is taken down.</summary>
public sealed class VanishedClientTests
{
    // A client that is connected and idle.
    private const string Client = """
        import socket, sys, time
        held = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        held.sendall((f"GET /sc2api HTTP/1.1\r\nHost: {sys.argv[1]}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        print(held.recv(12).decode(), flush=True)
        time.sleep(600)
        """;

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task Its_place_is_another_clients_within_the_time()
    {
        await using var machine = await FarMachine.MakeAsync();
        var limits = new AdmissionLimits { SilenceTimeout = TimeSpan.FromSeconds(2) };
        using var admission = new ConnectionAdmission(limits);
        await using var server = await GameApiServer.StartAsync(
            new TestGame(), new TestOptions { Listen = machine.Here }, admission, Ct);
        var address = new Uri($"ws://{machine.Here}:{server.Port}/sc2api");
        var said = machine.Python(Client, address.Host, $"{address.Port}");
        Assert.Equal("HTTP/1.1 101", await said.ReadLineAsync(Ct));

        // Its machine still answers, so it may stay idle.
        await Task.Delay(2 * limits.SilenceTimeout, Ct);
        Assert.False(await IsTakenInAsync(address));
        await machine.VanishAsync();
        var watch = Stopwatch.StartNew();
        while (!await IsTakenInAsync(new Uri($"ws://{machine.Here}:{server.Port}/sc2api")))
        {
            await Task.Delay(50, Ct);
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(15), "It still has its place.");
        }
    }

    private static async Task<bool> IsTakenInAsync(Uri address)
    {
        using var socket = new ClientWebSocket();
        try
        {
            await socket.ConnectAsync(address, Ct);
            return true;
        }
        catch (WebSocketException refused) when (refused.Message.Contains("503", StringComparison.Ordinal))
        {
            return false;
        }
    }
}
