using System.IO.Compression;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Grpc.Core;
using Sc2Bridge.Server;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Each mistake of a client gets one clear answer, and no other client is affected.</summary>
public sealed class GrpcBadInputTests
{
    private const string Describe = "/sc2bridge.v1.BridgeService/Describe";

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

            // Half of the garbage follows a valid connection preface.
            byte[] sent = round % 2 == 0 ? garbage : [.. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, .. garbage];
            using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(IPAddress.Loopback, port, Ct);
            await socket.SendAsync(sent, Ct);
            socket.Shutdown(SocketShutdown.Send);
            await DrainAsync(socket);
        }

        await SeesNextFrameAsync(match, witness);
    }

    [Theory]
    [InlineData("grpc.health.v1.Health/Check")]
    [InlineData("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")]
    public async Task Who_may_ask_without_a_token_asks_in_few_bytes(string call)
    {
        await using var match = await ServedMatch.StartAsync();
        using var http = new HttpClient();
        using var request = RawCall.Request(match, "", [0, 0, 0, 0x20, 0, 1, 2, 3]);
        request.RequestUri = new Uri($"http://{match.Address}/{call}");
        using var answer = await http.SendAsync(request, Ct);
        await answer.Content.ReadAsByteArrayAsync(Ct);
        var said = answer.Headers.Contains("grpc-status") ? answer.Headers : answer.TrailingHeaders;
        Assert.Equal([$"{(int)GrpcCode.ResourceExhausted}"], said.GetValues("grpc-status"));
    }

    [Fact]
    public async Task Http_1_is_answered_with_that_this_is_http_2()
    {
        await using var match = await ServedMatch.StartAsync();
        using var http = new HttpClient();
        var response = await http.GetAsync(new Uri($"http://{match.Address}/"), Ct);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("HTTP/2", await response.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_message_that_is_cut_off_ends_its_call_alone()
    {
        await using var match = await ServedMatch.StartAsync();
        using var client = match.Client();
        using var witness = await WitnessAsync(match, client);
        var first = RawCall.Framed(new PlayRequest { Subscribe = new SubscribeRequest() });
        var ended = await RawCall.SendAsync(match, "Play", [.. first, 0, 0, 0, 0, 9, 1, 2]);
        Assert.Equal(GrpcCode.Internal, ended.StatusCode);
        Assert.Contains("Incomplete message", ended.Detail, StringComparison.Ordinal);
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

            // Most messages have a correct frame, so that they reach the parser.
            byte[] sent = round % 4 == 0 ? garbage : [0, 0, 0, 0, (byte)garbage.Length, .. garbage];
            var ended = await RawCall.SendAsync(match, round % 2 == 0 ? "Play" : "Describe", sent);
            if (ended.StatusCode == GrpcCode.OK)
            {
                Assert.True(ended.BodyLength > 0, "A call with garbage ended with OK and no answer.");
            }
            else
            {
                Assert.NotEqual(GrpcCode.Unavailable, ended.StatusCode);
                Assert.NotEmpty(ended.Detail);
            }
        }

        await SeesNextFrameAsync(match, witness);
    }

    [Theory]
    [InlineData("A length that no message has", 0, 0xff, 0xff, 0xff, 0xff)]
    [InlineData("A flag that there is not", 7, 0, 0, 0, 1, 0)]
    public async Task A_message_that_is_framed_wrongly_is_its_senders_fault(string why, params int[] sent)
    {
        await using var match = await ServedMatch.StartAsync();
        var ended = await RawCall.SendAsync(match, "Play", [.. sent.Select(one => (byte)one)]);
        Assert.True(ended.StatusCode == GrpcCode.Internal, why);
        Assert.StartsWith("The message cannot be read: ", ended.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stopped_reader_slows_nobody_else()
    {
        await using var match = await ServedMatch.StartAsync();
        using var stoppedClient = match.Client();
        using var stopped = stoppedClient.Subscribe(
            new SubscribeRequest { Policy = Policy.Latest, Agent = "stopped" }, cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        using var client = match.Client();
        using var witness = await WitnessAsync(match, client);

        // 80 MB: far more than flow control, Kestrel and the sockets hold for a client that does not read.
        for (var step = 0ul; step < 500; step++)
        {
            await match.PublishAsync((uint)step, 160 << 10);
            Assert.Equal(step, (await witness.ResponseStream.NextAsync())!.Frame.Step);
        }

        var state = match.Hub.Subscribers.Single(subscriber => subscriber.Name == "stopped");
        Assert.True(state.Dropped > 300, $"{state.Dropped} of 500 frames were left out for a reader that read none.");
        match.End();
        PlayResponse? last = null;
        var missed = 0ul;
        while (await stopped.ResponseStream.NextAsync() is { } next)
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
        using var client = new HttpClient();
        using var request = RawCall.Request(
            match, "Play", RawCall.Framed(new PlayRequest { Subscribe = new() { Policy = Policy.Latest } }), ("grpc-timeout", "500m"));
        using var stopped = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        for (var step = 0u; step < 100; step++)
        {
            await match.PublishAsync(step, 160 << 10);
        }

        await match.WaitUntilNobodySubscribesAsync();
    }

    [Theory]
    [InlineData("POST", "application/json", "trailers", 415, "")]
    [InlineData("POST", "application/grpc-web", "trailers", 415, "")]
    [InlineData("POST", "", "trailers", 415, "")]
    [InlineData("PUT", "application/grpc", "trailers", 404, "")]
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

        var response = await http.SendAsync(request, Ct);
        Assert.Equal(status, (int)response.StatusCode);
        if (grpcStatus.Length > 0)
        {
            var headers = grpcStatus == "0" ? response.TrailingHeaders : response.Headers;
            Assert.Equal(grpcStatus, Assert.Single(headers.GetValues("grpc-status")));
        }
    }

    [Theory]
    [InlineData("grpc-encoding", "snappy", true)]
    [InlineData("sc2bridge-compression", "zip", false)]
    public async Task Headers_that_ask_for_what_cannot_be_are_refused(string name, string value, bool compressed)
    {
        await using var match = await ServedMatch.StartAsync();
        var ended = await RawCall.SendAsync(match, "Describe", RawCall.Framed([], compressed), (name, value));
        Assert.Equal(GrpcCode.Unimplemented, ended.StatusCode);
        Assert.Contains(value, ended.Detail, StringComparison.Ordinal);
        Assert.Equal(compressed ? "identity,gzip" : "", ended.AcceptEncoding);
    }

    [Fact]
    public async Task Compressed_messages_are_read_unless_they_unpack_to_too_much()
    {
        await using var match = await ServedMatch.StartAsync();
        (string, string) gzip = ("grpc-encoding", "gzip");
        var small = new DescribeRequest { MatchId = new string('x', 5000) }.ToByteArray();
        var read = await RawCall.SendAsync(match, "Describe", RawCall.Framed(Gzip(small), compressed: true), gzip);
        Assert.Equal(GrpcCode.NotFound, read.StatusCode);

        // 400 MiB in 2 MiB. The bridge refuses it before it has decompressed all of it.
        var bomb = Gzip(new byte[1 << 20], times: 400);
        var before = GC.GetTotalAllocatedBytes();
        var refused = await RawCall.SendAsync(match, "Describe", RawCall.Framed(bomb, compressed: true), gzip);
        Assert.Equal(GrpcCode.ResourceExhausted, refused.StatusCode);
        Assert.InRange(GC.GetTotalAllocatedBytes() - before, 0, 200 << 20);

        // Damaged messages affect no other client.
        var good = Gzip(small);
        for (var at = 0; at < good.Length; at++)
        {
            byte[] bad = [.. good];
            bad[at] ^= 0x55;
            foreach (var sent in (byte[][])[bad, good[..at]])
            {
                var ended = await RawCall.SendAsync(match, "Describe", RawCall.Framed(sent, compressed: true), gzip);
                Assert.NotEqual(GrpcCode.Unavailable, ended.StatusCode);
            }
        }

        read = await RawCall.SendAsync(match, "Describe", RawCall.Framed(good, compressed: true), gzip);
        Assert.Equal(GrpcCode.NotFound, read.StatusCode);
    }

    private static byte[] Gzip(byte[] bytes, int times = 1)
    {
        var output = new MemoryStream();
        using (var gzip = new GZipStream(output, CompressionLevel.Fastest))
        {
            for (var time = 0; time < times; time++)
            {
                gzip.Write(bytes);
            }
        }

        return output.ToArray();
    }

    private static async Task<AsyncServerStreamingCall<PlayResponse>> WitnessAsync(ServedMatch match, GrpcClient client)
    {
        var before = match.Hub.Subscribers.Count;
        var call = client.Subscribe(new SubscribeRequest { Agent = "witness" }, cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(before + 1, Ct);
        return call;
    }

    private static async Task SeesNextFrameAsync(ServedMatch match, AsyncServerStreamingCall<PlayResponse> witness)
    {
        await match.PublishAsync(0);
        Assert.NotNull((await witness.ResponseStream.NextAsync())!.Frame);
        match.End();
        Assert.NotNull((await witness.ResponseStream.NextAsync())!.MatchEnd);
        Assert.Null(await witness.ResponseStream.NextAsync());
    }

    private static async Task DrainAsync(Socket socket)
    {
        var buffer = new byte[4096];
        try
        {
            while (await socket.ReceiveAsync(buffer, Ct) > 0)
            {
            }
        }
        catch (SocketException)
        {
            // The server may reset the connection while some of our bytes are unread.
        }
    }
}
