using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text;
using Sc2Bridge.Server;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server.Tests;

/// <summary>What clients do wrong gets one clear answer, and nobody else notices.</summary>
public sealed class GrpcBadInputTests
{
    private const string Describe = "/sc2bridge.v1.Bridge/Describe";
    private const string Subscribe = "/sc2bridge.v1.Bridge/Subscribe";
    private const string Play = "/sc2bridge.v1.Bridge/Play";

    [Fact]
    public async Task Garbage_on_the_port_closes_that_connection_and_harms_no_stream()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var witness = await WitnessAsync(match, client);
        var random = new Random(3);
        var port = int.Parse(match.Address.Split(':')[1], System.Globalization.CultureInfo.InvariantCulture);
        for (var round = 0; round < 50; round++)
        {
            var garbage = new byte[random.Next(1, 3000)];
            random.NextBytes(garbage);

            // Half of them get past the connection preface.
            byte[] sent = round % 2 == 0 ? garbage : [.. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, .. garbage];
            using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(IPAddress.Loopback, port, ServedMatch.Token);
            await socket.SendAsync(sent, ServedMatch.Token);
            socket.Shutdown(SocketShutdown.Send);
            await DrainAsync(socket);
        }

        await SeesNextFrameAsync(match, witness);
    }

    [Fact]
    public async Task Http_1_is_told_that_this_is_http_2()
    {
        await using var match = await ServedMatch.StartAsync();
        using var http = new HttpClient();
        var response = await http.GetAsync(new Uri($"http://{match.Address}/"), ServedMatch.Token);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("HTTP/2", await response.Content.ReadAsStringAsync(ServedMatch.Token), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_message_that_is_cut_off_ends_its_call_alone()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var witness = await WitnessAsync(match, client);
        using var call = client.Open(Play, cancelled: ServedMatch.Token);
        await call.WriteAsync(new AgentMessage { Subscribe = new SubscribeRequest() });
        await call.WriteRawAsync(new byte[] { 0, 0, 0, 0, 9, 1, 2 });
        call.Complete();
        var ended = await GrpcCallTests.ExpectAsync(GrpcCode.Internal, call);
        Assert.Contains("middle of a message", ended.Message, StringComparison.Ordinal);
        await SeesNextFrameAsync(match, witness);
    }

    [Fact]
    public async Task Random_bytes_in_calls_end_those_calls_alone_with_a_status()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var witness = await WitnessAsync(match, client);
        var random = new Random(4);
        for (var round = 0; round < 300; round++)
        {
            var garbage = new byte[random.Next(0, 60)];
            random.NextBytes(garbage);

            // Most are framed as they should be, so that the parser gets to see them.
            byte[] sent = round % 4 == 0 ? garbage : [0, 0, 0, 0, (byte)garbage.Length, .. garbage];
            using var call = client.Open(round % 2 == 0 ? Play : Describe, cancelled: ServedMatch.Token);
            await call.WriteRawAsync(sent);
            call.Complete();
            try
            {
                Assert.True(await call.ReadAsync(_ => { }), "A call with garbage ended with OK and no answer.");
            }
            catch (GrpcException ended)
            {
                Assert.NotEqual(GrpcCode.Unavailable, ended.Code);
                Assert.NotEmpty(ended.Message);
            }
        }

        await SeesNextFrameAsync(match, witness);
    }

    [Fact]
    public async Task A_stopped_reader_slows_nobody_else()
    {
        await using var match = await ServedMatch.StartAsync();
        using var stoppedClient = match.Client();
        using var stopped = stoppedClient.Open(Subscribe, cancelled: ServedMatch.Token);
        await stopped.WriteAsync(new SubscribeRequest { Policy = Policy.Latest, Agent = "stopped" });
        stopped.Complete();
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        using var client = match.Client();
        using var witness = await WitnessAsync(match, client);

        // Eighty megabytes: far beyond what flow control, Kestrel and the sockets hold for the one who does not read.
        for (var step = 0ul; step < 500; step++)
        {
            await match.PublishAsync((uint)step, 160 << 10);
            Assert.Equal(step, (await witness.ReadAsync(Event.Parser))!.Frame.Step);
        }

        var state = match.Hub.Subscribers.Single(subscriber => subscriber.Name == "stopped");
        Assert.True(state.Dropped > 300, $"{state.Dropped} of 500 frames were left out for a reader that read none.");
        match.End();
        Event? last = null;
        var missed = 0ul;
        while (await stopped.ReadAsync(Event.Parser) is { } next)
        {
            missed += next.Frame?.Skipped?.Frames ?? 0;
            last = next;
        }

        Assert.NotNull(last?.MatchEnd);
        Assert.Equal((ulong)state.Dropped, missed);
    }

    [Fact]
    public async Task A_deadline_ends_a_call_whose_client_does_not_read()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var soon = new GrpcCallOptions { Timeout = TimeSpan.FromMilliseconds(500) };
        using var stopped = client.Open(Subscribe, soon, ServedMatch.Token);
        await stopped.WriteAsync(new SubscribeRequest { Policy = Policy.Latest });
        stopped.Complete();
        await match.Hub.WaitForSubscribersAsync(1, ServedMatch.Token);
        for (var step = 0u; step < 100; step++)
        {
            await match.PublishAsync(step, 160 << 10);
        }

        await match.WaitUntilNobodySubscribesAsync();
    }

    [Theory]
    [InlineData("POST", "application/json", "trailers", 415, "")]
    [InlineData("POST", "application/grpc-web", "trailers", 415, "")]
    [InlineData("POST", "application/grpc+json", "trailers", 415, "")]
    [InlineData("POST", "", "trailers", 415, "")]
    [InlineData("PUT", "application/grpc", "trailers", 405, "")]
    [InlineData("POST", "application/grpc", "", 200, "13")]
    [InlineData("POST", "application/grpc+proto", "trailers", 200, "0")]
    [InlineData("POST", "application/grpc; a=b", "trailers", 200, "0")]
    public async Task Http_that_is_not_grpc_is_refused(string method, string type, string te, int status, string grpcStatus)
    {
        await using var match = await ServedMatch.StartAsync();
        using var http = new HttpClient();
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri($"http://{match.Address}{Describe}"))
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent([0, 0, 0, 0, 0]),
        };
        if (type.Length > 0)
        {
            request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(type);
        }

        if (te.Length > 0)
        {
            request.Headers.TE.Add(new TransferCodingWithQualityHeaderValue(te));
        }

        var response = await http.SendAsync(request, ServedMatch.Token);
        Assert.Equal(status, (int)response.StatusCode);
        if (grpcStatus.Length > 0)
        {
            var headers = grpcStatus == "0" ? response.TrailingHeaders : response.Headers;
            Assert.Equal(grpcStatus, Assert.Single(headers.GetValues("grpc-status")));
        }
    }

    [Theory]
    [InlineData("grpc-encoding", "snappy", GrpcCode.Unimplemented)]
    [InlineData("grpc-timeout", "soon", GrpcCode.InvalidArgument)]
    [InlineData("sc2bridge-compression", "zip", GrpcCode.Unimplemented)]
    public async Task Headers_that_ask_for_what_cannot_be_are_refused(string name, string value, GrpcCode code)
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        var options = new GrpcCallOptions { Metadata = [new(name, value)] };
        using var call = client.Open(Describe, options, ServedMatch.Token);
        var ended = await GrpcCallTests.ExpectAsync(code, call);
        Assert.Contains(value, ended.Message, StringComparison.Ordinal);
        Assert.Equal("identity,gzip", Assert.Single((await call.Response).Headers.GetValues("grpc-accept-encoding")));
    }

    private static async Task<GrpcClientCall> WitnessAsync(ServedMatch match, GrpcClient client)
    {
        var before = match.Hub.Subscribers.Count;
        var call = client.Open(Subscribe, cancelled: ServedMatch.Token);
        await call.WriteAsync(new SubscribeRequest { Agent = "witness" });
        call.Complete();
        await match.Hub.WaitForSubscribersAsync(before + 1, ServedMatch.Token);
        return call;
    }

    private static async Task SeesNextFrameAsync(ServedMatch match, GrpcClientCall witness)
    {
        await match.PublishAsync(0);
        Assert.NotNull((await witness.ReadAsync(Event.Parser))!.Frame);
        match.End();
        Assert.NotNull((await witness.ReadAsync(Event.Parser))!.MatchEnd);
        Assert.Null(await witness.ReadAsync(Event.Parser));
    }

    private static async Task DrainAsync(Socket socket)
    {
        var buffer = new byte[4096];
        try
        {
            while (await socket.ReceiveAsync(buffer, ServedMatch.Token) > 0)
            {
            }
        }
        catch (SocketException)
        {
            // The server may reset the connection with our bytes still unread.
        }
    }
}
