using System.Diagnostics;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Routing accepts a path in several spellings. Tokens, limits and rates apply to all of them.</summary>
public sealed class PathSpellingTests
{
    private const int CallsPerSecond = 5;

    [Fact]
    public async Task A_call_that_subscribes_takes_a_place_and_waits_for_its_turn_in_every_spelling()
    {
        var clock = Stopwatch.StartNew();
        using var admission = new ConnectionAdmission(
            new AdmissionLimits { Subscriptions = 1, SubscriptionsPerSecond = CallsPerSecond });
        await using var match = await ServedMatch.StartAsync(options => options with { Admission = admission });
        using var client = match.Client();
        using var first = client.Subscribe(new SubscribeRequest(), cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        var play = RawCall.Framed(new PlayRequest { Subscribe = new SubscribeRequest() });
        string[] paths =
        [
            "/sc2bridge.v1.BridgeService/Play", "/sc2bridge.v1.bridgeservice/PLAY", "/SC2BRIDGE.V1.BRIDGESERVICE/play",
            "/sc2bridge.v1.BridgeService/Play/", "/sc2bridge.v1.BridgeService/Pl%61y", "/%53c2bridge.v1.bridgeService/%70lay/",
        ];
        using var http = new HttpClient();
        foreach (var path in paths)
        {
            using var request = RawCall.Request(match, "Play", play);
            request.RequestUri = AsSpelled($"http://{match.Address}{path}");
            using var answer = await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Ct);
            Assert.True(answer.Headers.TryGetValues("grpc-status", out var status), $"{path} subscribed");
            Assert.Equal([$"{(int)GrpcCode.ResourceExhausted}"], status);
            Assert.Contains(
                "--max-subscriptions", Uri.UnescapeDataString(answer.Headers.GetValues("grpc-message").Single()), StringComparison.Ordinal);
        }

        // The first call is allowed at once.
        Assert.InRange(clock.Elapsed, TimeSpan.FromSeconds((paths.Length - 0.5) / CallsPerSecond), TimeSpan.MaxValue);
        Assert.Single(match.Hub.Subscribers);
    }

    [Theory]
    [InlineData("/v1")]
    [InlineData("/V1")]
    [InlineData("/v1/")]
    [InlineData("/%761")]
    public async Task A_websocket_takes_a_place_in_every_spelling(string path)
    {
        await using var match = await WebSocketMatch.StartAsync(
            new Streaming.HubOptions(), limits: new AdmissionLimits { Subscriptions = 1 });
        using var first = await ConnectAsync(match, "/v1");
        await first.SubscribeAsync();
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        using var second = await ConnectAsync(match, path);
        await second.SubscribeAsync();
        Assert.Contains(
            "--max-subscriptions", await second.FailsAsync((uint)GrpcCode.ResourceExhausted), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/sc2bridge.v1.BridgeService/Describe", true)]
    [InlineData("/SC2bridge.v1.bridgeservice/DESCRIBE/", true)]
    [InlineData("/sc2bridge.v1.BridgeService/D%65scribe", true)]
    [InlineData("/sc2bridge.v1.BridgeService/Unknown", true)]
    [InlineData("/v1", false)]
    [InlineData("/V1/", false)]
    [InlineData("/%761", false)]
    [InlineData("/metrics", false)]
    [InlineData("/METRICS/", false)]
    [InlineData("/%6Detrics", false)]
    public async Task A_wrong_token_is_refused_in_every_spelling(string path, bool grpc)
    {
        await using var match = await ServedMatch.StartAsync(options => options with
        {
            WebAddress = "127.0.0.1:0",
            Tokens = TokenStore.Empty.With("the-right-token-0123456789", Identity.Anonymous),
        });
        using var http = new HttpClient();
        using var request = grpc ? RawCall.Request(match, "Describe", RawCall.Framed([])) : new HttpRequestMessage();
        request.RequestUri = AsSpelled($"http://{(grpc ? match.Address : match.Server.WebAddress)}{path}");
        request.Headers.Authorization = new("Bearer", "another");
        using var answer = await http.SendAsync(request, Ct);
        if (grpc)
        {
            Assert.Equal([$"{(int)GrpcCode.Unauthenticated}"], answer.Headers.GetValues("grpc-status"));
        }
        else
        {
            Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
        }
    }

    private static async Task<AgentSocket> ConnectAsync(WebSocketMatch match, string path)
    {
        var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol("sc2bridge.proto.v1");
        await socket.ConnectAsync(AsSpelled($"ws://{match.Authority}{path}"), Ct);
        return new AgentSocket(socket);
    }

    // Without this option, .NET's Uri would decode the percent-encoded characters.
    private static Uri AsSpelled(string address) =>
        new(address, new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
}
