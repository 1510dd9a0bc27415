using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.Admission;
using StatusCode = Sc2Bridge.Streaming.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>The permissions of each kind of client, over both transports, on an address beyond this machine.</summary>
public sealed class AccessTests : IAsyncDisposable
{
    private const string Any = "any-token-0123456789";
    private readonly Hub _hub = new(new HubOptions());
    private readonly List<IDisposable> _clients = [];
    private readonly HealthOfBridge _health;
    private BridgeServer? _server;

    public AccessTests() => _health = new HealthOfBridge(_hub);

    public async ValueTask DisposeAsync()
    {
        _clients.ForEach(client => client.Dispose());
        _health.Dispose();
        _hub.Dispose();
        await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
    }

    [Theory]
    [InlineData("watch", "latest", 0u)]
    [InlineData("watch", "every", 0u)]
    [InlineData("watch", "end", 0u)]
    [InlineData("watch", "pause", StatusCode.PermissionDenied, "'hold'")]
    [InlineData("watch", "lockstep", StatusCode.PermissionDenied, "'hold'")]
    [InlineData("watch", "wrong", StatusCode.PermissionDenied, "'hold'")]
    [InlineData("hold", "wrong", StatusCode.InvalidArgument, "exclude")]
    [InlineData("hold", "lockstep", 0u)]
    [InlineData("hold", "act", StatusCode.PermissionDenied, "'play'")]
    [InlineData("play", "act", 0u)]
    [InlineData("play", "priority", StatusCode.PermissionDenied, "at most 0")]
    [InlineData("control", "pause", StatusCode.PermissionDenied, "'hold'")]
    [InlineData("none", "latest", StatusCode.Unauthenticated, "requires a token")]
    [InlineData("unknown", "latest", StatusCode.Unauthenticated, "does not know your token")]
    [InlineData("expired", "latest", StatusCode.Unauthenticated, "has expired")]
    public async Task A_subscription_takes_its_role(string who, string what, uint code, string says = "")
    {
        var token = await StartAsync(who);
        var asked = new SubscribeRequest
        {
            Policy = what switch
            {
                "latest" => Policy.Latest,
                "lockstep" or "act" or "priority" or "wrong" => Policy.Lockstep,
                _ => Policy.Every,
            },
            Overflow = what switch { "end" => Overflow.End, "pause" => Overflow.Pause, _ => Overflow.Unspecified },
            CanAct = what is "act" or "priority",
            Priority = what == "priority" ? 9u : 0,
            Exclude = { what == "wrong" ? [(Part)99] : [] },
        };

        var stream = Grpc(token, tls: null).Play(cancellationToken: Ct);
        _clients.Add(stream);
        try
        {
            await stream.RequestStream.WriteAsync(new PlayRequest { Subscribe = asked }, Ct);
        }
        catch (RpcException) when (code != 0)
        {
            // The bridge refused the token before it read the request. Reading the answer gives the reason.
        }

        if (code == 0)
        {
            await stream.ResponseHeadersAsync;
            Assert.Single(_hub.Subscribers);
        }
        else
        {
            var refused = await Assert.ThrowsAsync<RpcException>(() => stream.ResponseStream.MoveNext(Ct));
            Assert.Equal(code, (uint)refused.StatusCode);
            Assert.Contains(says, refused.Status.Detail, StringComparison.Ordinal);

            // A missing permission is reported before errors in the request.
            var heard = Grpc(token, tls: null).Subscribe(asked, cancellationToken: Ct);
            refused = await Assert.ThrowsAsync<RpcException>(() => heard.ResponseStream.MoveNext(Ct));
            Assert.Equal(code, (uint)refused.StatusCode);
        }

        var connecting = WebAsync(token);
        if (code == StatusCode.Unauthenticated)
        {
            Assert.Contains("401", (await Assert.ThrowsAsync<WebSocketException>(() => connecting)).Message, StringComparison.Ordinal);
            return;
        }

        using var agent = await connecting;
        await agent.SendAsync(new PlayRequest { Subscribe = asked });
        if (code == 0)
        {
            await _hub.WaitForSubscribersAsync(2, Ct);
        }
        else
        {
            Assert.Contains(says, await agent.FailsAsync(code), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("Hello")]
    [InlineData("Describe")]
    [InlineData("Play")]
    [InlineData("CallGame")]
    [InlineData("Control")]
    public async Task A_wrong_token_is_reported_for_any_request(string method)
    {
        await using var match = await ServedMatch.StartAsync(
            options => options with { Tokens = TokenStore.Empty.With(Any, Identity.Anonymous) });
        foreach (var sent in (byte[][])[[], [1, 2, 3], RawCall.Framed([0xff]), [0, 0x7f, 0xff, 0xff, 0xff]])
        {
            var told = await RawCall.SendAsync(match, method, sent, ("authorization", "Bearer another"));
            Assert.Equal((StatusCode.Unauthenticated, true), ((uint)told.StatusCode, told.IsInHeaders));
        }
    }

    [Theory]
    [InlineData("watch", 0u, StatusCode.PermissionDenied, StatusCode.PermissionDenied)]
    [InlineData("play", 0u, 0u, StatusCode.PermissionDenied)]
    [InlineData("control", 0u, StatusCode.PermissionDenied, 0u)]
    public async Task Requests_and_control_take_theirs(string who, uint query, uint draw, uint control)
    {
        var token = await StartAsync(who);
        var client = Grpc(token, tls: null);
        using var agent = await WebAsync(token);
        foreach (var (request, code) in ((SC2APIProtocol.Request, uint)[])
            [
                (new() { Query = new() }, query),
                (new() { Debug = new() { Debug = { new SC2APIProtocol.DebugCommand { Draw = new() } } } }, draw),
            ])
        {
            var asked = new CallGameRequest { Request = request, Perspective = 1 };
            Assert.Equal(code, await CodeAsync(client.CallGameAsync(asked, cancellationToken: Ct)));
            await agent.SendAsync(new PlayRequest { CallGame = asked });
            Assert.Equal(code, (await agent.ReceiveAsync())!.Error?.Code ?? 0);
        }

        var wish = new ControlRequest { Pause = true };
        Assert.Equal(control, await CodeAsync(client.ControlAsync(wish, cancellationToken: Ct)));
        await agent.SendAsync(new PlayRequest { Control = wish });
        Assert.Equal(control, (await agent.ReceiveAsync())!.Error?.Code ?? 0);
    }

    [Fact]
    public async Task Metrics_take_a_token_and_health_takes_one_for_its_reasons_alone()
    {
        var token = await StartAsync("watch");
        using var http = new HttpClient();
        var at = $"http://127.0.0.1:{PortOf(_server!.WebAddress)}";
        foreach (var path in (string[])["/metrics", "/metrics/", "/METRICS", "/%6Detrics"])
        {
            Assert.Equal(HttpStatusCode.Unauthorized, (await http.GetAsync($"{at}{path}", Ct)).StatusCode);
        }

        _hub.End(new MatchEnd { MatchId = "m" });
        Assert.Equal("""{"status":"not serving","reasons":[]}""", await HealthAsync());
        http.DefaultRequestHeaders.Authorization = new("Bearer", token);
        Assert.Equal(HttpStatusCode.OK, (await http.GetAsync($"{at}/metrics", Ct)).StatusCode);
        Assert.Equal("""{"status":"not serving","reasons":["the last match is over"]}""", await HealthAsync());

        async Task<string> HealthAsync() =>
            await (await http.GetAsync($"{at}/health", Ct)).Content.ReadAsStringAsync(Ct);
    }

    [Fact]
    public async Task Both_speak_tls_and_plain_text_is_cut()
    {
        var tls = Tls.SelfSigned([], null, DateTimeOffset.UtcNow);
        var token = await StartAsync("play", tls);
        Assert.Equal("m", (await Grpc(token, tls).DescribeAsync(new DescribeRequest(), cancellationToken: Ct)).Match.MatchId);
        using (var agent = await WebAsync(token, tls))
        {
            await agent.SendAsync(new PlayRequest { Describe = new DescribeRequest() });
            Assert.Equal("m", (await agent.ReceiveAsync())!.Describe.Match.MatchId);
        }

        await Assert.ThrowsAsync<WebSocketException>(() => WebAsync(token));
        Assert.NotEqual(0u, await CodeAsync(Grpc(token, tls: null).DescribeAsync(new DescribeRequest(), cancellationToken: Ct)));
    }

    [Fact]
    public async Task With_mutual_tls_a_client_needs_a_certificate_of_the_authority()
    {
        using var authority = Certificate("CN=authority", null);
        using var mine = Certificate("CN=agent", authority);
        using var stranger = Certificate("CN=agent", null);
        var tls = Tls.SelfSigned([], [authority], DateTimeOffset.UtcNow);
        var token = await StartAsync("watch", tls);
        Assert.Equal(0u, await CodeAsync(Grpc(token, tls, mine).DescribeAsync(new(), cancellationToken: Ct)));
        Assert.NotEqual(0u, await CodeAsync(Grpc(token, tls, stranger).DescribeAsync(new(), cancellationToken: Ct)));
        Assert.NotEqual(0u, await CodeAsync(Grpc(token, tls).DescribeAsync(new(), cancellationToken: Ct)));
        Assert.Equal(0u, await CodeAsync(Grpc(token, tls, mine).DescribeAsync(new(), cancellationToken: Ct)));
    }

    // Starts a server on all addresses with a token for this kind of client. Returns the token.
    private async Task<string?> StartAsync(string who, Tls? tls = null)
    {
        var match = new RecordedMatch();
        _hub.Announce(
            new MatchDescription
            {
                MatchId = "m",
                Perspectives = { 1u },
                Players = { new Player { PlayerId = 1, Kind = PlayerKind.Agent } },
            },
            match, match);
        var role = who is "hold" or "play" or "control" ? who : "watch";
        _server = await BridgeServer.StartAsync(
            _hub,
            new BridgeServerOptions
            {
                GrpcAddress = "0.0.0.0:0",
                WebAddress = "0.0.0.0:0",
                Tokens = TokenFile.Parse(
                    $"{role} {Any}{(who == "expired" ? " expires=2020-01-01" : "")}", "test", TokenStore.Empty, DateTimeOffset.UnixEpoch),
                Tls = tls,
                Health = _health,
            },
            Ct);
        return who switch { "none" => null, "unknown" => Any + "x", _ => Any };
    }

    private static int PortOf(string address) => BridgeAddress.Parse(address).EndPoint is IPEndPoint ip ? ip.Port : 0;

    private BridgeService.BridgeServiceClient Grpc(string? token, Tls? tls, X509Certificate2? shown = null)
    {
        var handler = new SocketsHttpHandler { UseProxy = false };
        handler.SslOptions.RemoteCertificateValidationCallback =
            (_, seen, _, _) => seen?.GetCertHashString() == tls?.Certificate.GetCertHashString();
        handler.SslOptions.ClientCertificates = shown is null ? null : [shown];
        var http = new HttpClient(handler);
        http.DefaultRequestHeaders.Authorization = token is null ? null : new("Bearer", token);
        var channel = GrpcChannel.ForAddress(
            $"{(tls is null ? "http" : "https")}://127.0.0.1:{PortOf(_server!.GrpcAddress)}",
            new GrpcChannelOptions { HttpClient = http, DisposeHttpClient = true });
        _clients.Add(channel);
        return new BridgeService.BridgeServiceClient(channel);
    }

    private Task<AgentSocket> WebAsync(string? token, Tls? tls = null) => AgentSocket.ConnectAsync(
        $"{(tls is null ? "ws" : "wss")}://127.0.0.1:{PortOf(_server!.WebAddress)}/v1", "sc2bridge.proto.v1", options =>
        {
            options.RemoteCertificateValidationCallback =
                (_, seen, _, _) => seen?.GetCertHashString() == tls?.Certificate.GetCertHashString();
            if (token is not null)
            {
                options.SetRequestHeader("Authorization", $"Bearer {token}");
            }
        });

    private static async Task<uint> CodeAsync<T>(AsyncUnaryCall<T> call)
    {
        try
        {
            await call;
            return 0;
        }
        catch (RpcException refused)
        {
            return (uint)refused.StatusCode;
        }
    }

    private static X509Certificate2 Certificate(string name, X509Certificate2? issuer)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(name, key, HashAlgorithmName.SHA256);
        var now = DateTimeOffset.UtcNow;
        if (issuer is null)
        {
            request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
            return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
        }

        using var issued = request.Create(issuer, now.AddHours(-1), now.AddHours(1), [1, 2, 3]);
        return issued.CopyWithPrivateKey(key);
    }

    private sealed class RecordedMatch : IGameRequests, IPlayback
    {
        public PlaybackState Control(ControlRequest request) => new();

        public Task<SC2APIProtocol.Response> RequestAsync(
            uint perspective, SC2APIProtocol.Request request, CancellationToken ct) =>
            Task.FromResult(new SC2APIProtocol.Response());
    }
}
