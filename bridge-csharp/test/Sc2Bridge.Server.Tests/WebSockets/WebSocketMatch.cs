using SC2APIProtocol;
using Sc2Bridge.Admission;

namespace Sc2Bridge.Server.Tests;

/// <summary>A match that the test plays, served over the WebSocket on a free port.</summary>
internal sealed class WebSocketMatch : IAsyncDisposable, IGameRequests
{
    private const string Match = "match-1";

    // The side that agents play.
    public const uint Side = 2;
    private readonly ConnectionAdmission _admission;
    private readonly BridgeServer _server;
    private ulong _step;

    private WebSocketMatch(Hub hub, BridgeServer server, ConnectionAdmission admission)
    {
        Hub = hub;
        (_server, _admission) = (server, admission);
        hub.Announce(
            new MatchDescription
            {
                MatchId = Match,
                MapName = "Cinder Fortress LE",
                StepSize = 1,
                Perspectives = { Side, 0u },
                Players = { new Player { PlayerId = Side, Kind = PlayerKind.Agent } },
                GameInfo = new ResponseGameInfo { MapName = "Cinder Fortress LE" },
                Data = new ResponseData { Units = { new UnitTypeData { UnitId = 48, Name = "Marine" } } },
            },
            this);
    }

    public Hub Hub { get; }

    /// <summary>Connects to the socket of the shared memory transport.</summary>
    public Task<MemoryReader> ShareAsync(string token = "") => MemoryReader.ConnectAsync(_server.SharedMemoryAddress, token);

    /// <summary>The number of shared memory blocks in use.</summary>
    public int SharedBlocks => _server.SharedBlocks;

    public string Authority => _server.WebAddress;

    public string Url => $"ws://{Authority}/v1";

    public static Task<WebSocketMatch> StartAsync(bool deflate = false, params string[] origins) =>
        StartAsync(null, apart: false, deflate, origins);

    public static Task<WebSocketMatch> StartAsync(
        TokenStore? tokens, bool apart, bool deflate = false, params string[] origins) =>
        StartAsync(new HubOptions { SidesApart = apart }, tokens, deflate, null, origins);

    public static async Task<WebSocketMatch> StartAsync(
        HubOptions hubOptions, TokenStore? tokens = null, bool deflate = false, AdmissionLimits? limits = null,
        params string[] origins)
    {
        var hub = new Hub(hubOptions);

        // Enough for the tests with many clients.
        var admission = new ConnectionAdmission(limits ?? new AdmissionLimits { Subscriptions = 128 });
        var options = new BridgeServerOptions
        {
            Admission = admission,
            GrpcAddress = null,
            WebAddress = "127.0.0.1:0",
            AllowDeflate = deflate,
            AllowedOrigins = origins,
            Tokens = tokens ?? TokenStore.Empty,
            SharedMemoryName = hubOptions.SidesApart ? null : $"sc2bridge-test-{Guid.NewGuid()}",
        };
        return new WebSocketMatch(hub, await BridgeServer.StartAsync(hub, options, Ct), admission);
    }

    public static ResponseObservation Observation(uint gameLoop, int size = 100) => new()
    {
        Observation = new Observation
        {
            GameLoop = gameLoop,
            RawData = new ObservationRaw
            {
                MapState = new MapState { Visibility = new ImageData { Data = ByteString.CopyFrom(new byte[size]) } },
            },
        },
    };

    public Task<AgentSocket> ConnectAsync(string subProtocol, bool deflate = false, string? token = null) =>
        AgentSocket.ConnectAsync(Url, subProtocol, options =>
        {
            options.DangerousDeflateOptions = deflate ? new WebSocketDeflateOptions() : null;
            if (token is not null)
            {
                options.SetRequestHeader("Authorization", $"Bearer {token}");
            }
        });

    public ValueTask PublishAsync(ReadOnlySpan<byte> observation)
    {
        var now = MonotonicClock.NowNs;
        var header = new FrameHeader(Match, Side, _step, (uint)_step, now, now);
        _step++;
        return Hub.Publisher.PublishAsync(ObservationFrame.Copy(observation, header), Ct);
    }

    public void End() => Hub.End(new MatchEnd { MatchId = Match, Reason = EndReason.Finished });

    /// <summary>The actions of agents.</summary>
    public List<RequestAction> Acted { get; } = [];

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        if (request.Action is null)
        {
            return Task.FromResult(new Response { Query = new ResponseQuery() });
        }

        Acted.Add(request.Action);
        var acted = new ResponseAction();
        acted.Result.AddRange(request.Action.Actions.Select(_ => ActionResult.Success));
        return Task.FromResult(new Response { Action = acted });
    }

    public async ValueTask DisposeAsync()
    {
        Hub.Dispose();
        await _server.DisposeAsync();
        _admission.Dispose();
    }
}
