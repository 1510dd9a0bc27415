using System.Net.Sockets;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

public sealed class BridgeServerTests
{
    [Fact]
    public async Task A_port_in_use_is_one_clear_error()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var address = $"127.0.0.1:{((IPEndPoint)taken.LocalEndpoint).Port}";
        var refused = await Assert.ThrowsAsync<AddressInUseException>(() => StartAsync(address));
        Assert.Equal(address, refused.Address);
        Assert.Equal($"The address {address} is in use: stop the program that listens there, or choose another address.", refused.Message);
    }

    [Fact]
    public async Task A_socket_that_is_served_is_in_use_and_one_left_behind_is_not()
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge");
        var path = Path.Combine(folder.FullName, "bridge.sock");
        using (var left = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            left.Bind(new UnixDomainSocketEndPoint(path));
            left.Listen();
            await Assert.ThrowsAsync<AddressInUseException>(() => StartAsync($"unix:{path}"));

            // As a killed process leaves it: the file exists, and no process listens.
            File.Move(path, path + ".kept");
        }

        File.Move(path + ".kept", path);
        await using (var server = await StartAsync($"unix:{path}"))
        {
            Assert.Equal($"unix:{path}", server.GrpcAddress);
        }

        Assert.False(File.Exists(path));
        await File.WriteAllTextAsync(path, "not a socket", Ct);
        await Assert.ThrowsAsync<AddressException>(() => StartAsync($"unix:{path}"));
        Assert.Equal("not a socket", await File.ReadAllTextAsync(path, Ct));
        folder.Delete(recursive: true);
    }

    [Theory]
    [InlineData("")]
    [InlineData("50051")]
    [InlineData("host:")]
    [InlineData("127.0.0.1:65536")]
    [InlineData("::1:50051")]
    [InlineData("unix:")]
    [InlineData("192.0.2.1:0")]
    [InlineData("unix:/nowhere/at/all.sock")]
    public async Task An_address_that_cannot_be_is_one_clear_error(string address)
    {
        var refused = await Assert.ThrowsAsync<AddressException>(() => StartAsync(address));
        Assert.Contains($"{address}", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refused.Message);
    }

    [Theory]
    [InlineData("localhost:0")]
    [InlineData("[::1]:0")]
    public async Task A_chosen_port_is_in_the_address(string address)
    {
        Assert.SkipWhen(address.StartsWith('[') && !Socket.OSSupportsIPv6, "There is no IPv6 here.");
        using var hub = new Hub(new HubOptions());
        var options = new BridgeServerOptions { GrpcAddress = address, WebAddress = null };
        await using var server = await BridgeServer.StartAsync(hub, options, Ct);
        Assert.NotEqual(address, server.GrpcAddress);
        using var client = new GrpcClient(server.GrpcAddress);
        await AnswersAsync(client);
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task One_server_has_both_transports_or_either(bool grpc, bool web)
    {
        using var hub = new Hub(new HubOptions());
        await using (var one = await BridgeServer.StartAsync(
            hub,
            new BridgeServerOptions
            {
                GrpcAddress = grpc ? "127.0.0.1:0" : null,
                WebAddress = web ? "127.0.0.1:0" : null,
            },
            Ct))
        {
            Assert.Equal(grpc, one.GrpcAddress.Length > 0);
            Assert.Equal(web, one.WebAddress.Length > 0);
        }

        await using var both = await BridgeServer.StartAsync(
            hub, new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" }, Ct);
        using var agent = await AgentSocket.ConnectAsync($"ws://{both.WebAddress}/v1", "sc2bridge.proto.v1");
        Assert.Equal("sc2bridge.proto.v1", agent.Socket.SubProtocol);
        using var client = new GrpcClient(both.GrpcAddress);
        await AnswersAsync(client);
    }

    // The hub has no match, and refuses the request at once.
    private static Task AnswersAsync(GrpcClient client) =>
        client.ControlAsync(new ControlRequest(), cancellationToken: Ct).RefusedAsync(Grpc.Core.StatusCode.FailedPrecondition);

    private static async Task<BridgeServer> StartAsync(string address)
    {
        using var hub = new Hub(new HubOptions());
        return await BridgeServer.StartAsync(
            hub, new BridgeServerOptions { GrpcAddress = address, WebAddress = null }, Ct);
    }
}
