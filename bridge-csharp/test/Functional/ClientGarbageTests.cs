using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using Sc2Bridge.V1;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Clients that send invalid data to the bridge. Other clients continue without an error.</summary>
public sealed class ClientGarbageTests
{
    private const int Steps = 12;

    [Fact]
    public async Task Invalid_data_from_clients_affects_no_other_subscriber()
    {
        using var folder = new MatchFolder();
        using var match = folder.Match(
            "--steps", $"{Steps}", "--wait", "1", "--lockstep-deadline", "200",
            "--agent", "sc2bridge.agents:Watcher", "--agent", "sc2bridge.agents:Watcher@json");
        var line = await match.LineAsync("gRPC on");
        var grpc = line.Split("gRPC on ")[1].Split(',')[0];
        var web = line.Split("ws://")[1].Split('/')[0];

        // This subscriber delays the match, so that all invalid data arrives in the middle of it.
        using var holder = await ConnectAsync(web, "sc2bridge.proto.v1");
        await holder.SubscribeAsync("holder", Policy.Lockstep);
        var heard = 0;
        while (await holder.ReceiveAsync() is { } happened)
        {
            if (happened.Frame is { } frame)
            {
                await TalkNonsenseAsync(heard, grpc, web);
                await holder.SendAsync(new PlayRequest { Acknowledge = new Acknowledgement { Step = frame.Step } });
                heard++;
            }
        }

        (await match.EndAsync()).Well();
        Assert.Equal(Steps, heard);
        folder.Steps().Complete(Steps);
        folder.AgentsHeard("watcher-1-shm", "watcher-2-json");
    }

    private static async Task TalkNonsenseAsync(int which, string grpc, string web)
    {
        var garbage = new byte[5000];
        new Random(which).NextBytes(garbage);
        switch (which % 7)
        {
            case 0:
                await PourAsync(grpc, garbage);
                break;
            case 1:
                // The preface of HTTP/2, and then invalid frames.
                await PourAsync(grpc, [.. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, .. garbage]);
                break;
            case 2:
                // A call with an invalid message: wire type 7 does not exist.
                using (var http = new HttpClient())
                using (var request = new HttpRequestMessage())
                {
                    request.Method = HttpMethod.Post;
                    request.RequestUri = new Uri($"http://{grpc}/sc2bridge.v1.BridgeService/Play");
                    request.Version = new Version(2, 0);
                    request.VersionPolicy = HttpVersionPolicy.RequestVersionExact;
                    request.Content = new ByteArrayContent([0, 0, 0, 0, 9, 7, .. garbage[..8]]);
                    request.Content.Headers.ContentType = new("application/grpc");
                    using var response = await http.SendAsync(request, Ct);
                    await response.Content.ReadAsByteArrayAsync(Ct);
                    var said = response.TrailingHeaders.Concat(response.Headers).First(one => one.Key == "grpc-status");
                    Assert.NotEqual("0", said.Value.Single());
                }

                break;
            case 3:
                await PourAsync(web, garbage);
                break;
            case 4:
                using (var json = await ConnectAsync(web, "sc2bridge.json.v1"))
                {
                    await json.SendAsync("{\"subscribe\": {\"policy\": "u8.ToArray());
                    await json.FailsAsync(3);
                }

                break;
            case 5:
                using (var foxglove = await ConnectAsync(web, "foxglove.sdk.v1"))
                {
                    await foxglove.SendAsync([3, .. garbage]);
                    while (await foxglove.Socket.ReceiveAsync(garbage.AsMemory(), Ct) is { MessageType: not WebSocketMessageType.Close })
                    {
                    }

                    Assert.Equal((WebSocketCloseStatus)4003, foxglove.Socket.CloseStatus);
                }

                break;
            default:
                using (var proto = await ConnectAsync(web, "sc2bridge.proto.v1"))
                {
                    await proto.SendAsync([0xFF, .. garbage]);
                    await proto.FailsAsync(3);
                }

                break;
        }
    }

    // The bridge may answer anything, and closes the connection.
    private static async Task PourAsync(string address, byte[] bytes)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(address), Ct);
        try
        {
            await using var stream = client.GetStream();
            await stream.WriteAsync(bytes, Ct);
            client.Client.Shutdown(SocketShutdown.Send);
            await stream.CopyToAsync(Stream.Null, Ct);
        }
        catch (Exception hungUp) when (hungUp is IOException or SocketException)
        {
        }
    }

    private static Task<AgentSocket> ConnectAsync(string web, string subProtocol) =>
        AgentSocket.ConnectAsync($"ws://{web}/v1", subProtocol);
}
