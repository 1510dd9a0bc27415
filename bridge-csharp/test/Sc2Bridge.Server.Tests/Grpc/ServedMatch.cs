using SC2APIProtocol;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

/// <summary>A hub with a match that the test plays, served on a free port or on a Unix socket.</summary>
internal sealed class ServedMatch : IAsyncDisposable, IGameRequests
{
    public const string Match = "match-1";

    /// <summary>The side that agents play.</summary>
    public const uint Side = 2;

    /// <summary>The text of a refusal, with every kind of character that a status can contain.</summary>
    public const string Refusal = "100 % „verboten“ – ✓ 𝄞\nzweite Zeile";

    /// <summary>The text of an unexpected exception.</summary>
    public const string Defect = "a defect of the bridge";

    private readonly string? _folder;
    private ulong _step;
    private int _pinged;

    private ServedMatch(Hub hub, BridgeServer server, string? folder)
    {
        Hub = hub;
        Server = server;
        _folder = folder;
        Description = new MatchDescription
        {
            MatchId = Match,
            MapName = "Cinder Fortress LE",
            StepSize = 1,
            Simulated = true,
            Perspectives = { 0u, Side },
            Players = { new Player { PlayerId = Side, Kind = PlayerKind.Agent } },
            GameInfo = new ResponseGameInfo { MapName = "Cinder Fortress LE" },
            Data = new ResponseData { Units = { new UnitTypeData { UnitId = 48, Name = "Marine" } } },
        };
        hub.Announce(Description, this);
    }

    public Hub Hub { get; }

    public BridgeServer Server { get; }

    public MatchDescription Description { get; private set; }

    public string Address => Server.GrpcAddress;

    /// <summary>The actions of agents.</summary>
    public List<RequestAction> Acted { get; } = [];

    /// <summary>The number of pings so far.</summary>
    public int Pinged => Volatile.Read(ref _pinged);

    /// <summary>The answer to pings. By default they are never answered.</summary>
    public Func<Task<Response>> OnPing { get; set; } = static () => new TaskCompletionSource<Response>().Task;

    public static Task<ServedMatch> StartAsync(Func<BridgeServerOptions, BridgeServerOptions> change) =>
        StartAsync(unix: false, apart: false, change);

    /// <summary>Starts it with every transport.</summary>
    public static Task<ServedMatch> StartEverywhereAsync(TokenStore tokens) => StartAsync(options => options with
    {
        WebAddress = "127.0.0.1:0",
        AllowDeflate = true,
        SharedMemoryName = BridgeServerOptions.NewSharedMemoryName(),
        Tokens = tokens,
    });

    public static async Task<ServedMatch> StartAsync(
        bool unix = false, bool apart = false, Func<BridgeServerOptions, BridgeServerOptions>? change = null,
        TimeProvider? time = null, long? ceiling = null)
    {
        var folder = unix ? Directory.CreateTempSubdirectory("sc2bridge").FullName : null;
        var hub = new Hub(new HubOptions
        {
            SidesApart = apart,
            TimeProvider = time ?? TimeProvider.System,
            MemoryCeiling = ceiling ?? MemoryLedger.DefaultCeiling,
        });
        var options = new BridgeServerOptions
        {
            GrpcAddress = folder is null ? "127.0.0.1:0" : $"unix:{folder}/bridge.sock",
            WebAddress = null,
        };
        return new ServedMatch(
            hub, await BridgeServer.StartAsync(hub, change?.Invoke(options) ?? options, Ct), folder);
    }

    public GrpcClient Client() => new(Address);

    public async Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        switch (request.RequestCase)
        {
            case Request.RequestOneofCase.Query:
                // An answer of the requested size.
                var response = new Response { Query = new ResponseQuery() };
                for (var count = 0; count < request.Query.Pathing.Count; count++)
                {
                    response.Query.Pathing.Add(new ResponseQueryPathing { Distance = count });
                }

                return response;
            case Request.RequestOneofCase.ReplayInfo:
                var replay = request.ReplayInfo.ReplayData.ToBase64();
                return new Response { ReplayInfo = new ResponseReplayInfo { MapName = replay } };
            case Request.RequestOneofCase.Action:
                Acted.Add(request.Action);
                var acted = new Response { Action = new ResponseAction() };
                acted.Action.Result.AddRange(request.Action.Actions.Select(_ => ActionResult.Success));
                return acted;
            case Request.RequestOneofCase.Ping:
                Interlocked.Increment(ref _pinged);
                return await OnPing();
            case Request.RequestOneofCase.Data:
                throw new NotSupportedException(Defect);
            default:
                throw new RequestRefusedException(9, Refusal);
        }
    }

    public ValueTask PublishAsync(ReadOnlySpan<byte> observation, uint perspective = 0)
    {
        var now = MonotonicClock.NowNs;
        var header = new FrameHeader(Description.MatchId, perspective, _step, (uint)_step, now, now);
        _step++;
        return Hub.Publisher.PublishAsync(Streaming.ObservationFrame.Copy(observation, header), Ct);
    }

    /// <summary>Publishes a made-up observation with this game loop and about this size.</summary>
    public ValueTask PublishAsync(uint gameLoop, int size = 100) => PublishAsync(Observation(gameLoop, size).ToByteArray());

    /// <summary>Sends the agents' actions since the last step to the game, and publishes the next step to the agents' side.</summary>
    public async ValueTask StepAsync(uint gameLoop, int size = 100)
    {
        await Hub.Publisher.SendActionsAsync(Side, Ct);
        await PublishAsync(Observation(gameLoop, size).ToByteArray(), Side);
    }

    public static ResponseObservation Observation(uint gameLoop, int size) => new()
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

    /// <summary>Ends the match and starts another one.</summary>
    public void Follow(string name)
    {
        Hub.End(new MatchEnd { MatchId = Description.MatchId, NextFollows = true });
        Description = new MatchDescription(Description) { MatchId = name };
        Hub.Announce(Description, this);
    }

    public void End() => Hub.End(new MatchEnd { MatchId = Match, Reason = EndReason.Finished });

    public Task WaitUntilNobodySubscribesAsync() => HoldsAsync(() => Hub.Subscribers.Count == 0);

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        Hub.Dispose();
        if (_folder is not null)
        {
            Directory.Delete(_folder, recursive: true);
        }
    }
}
