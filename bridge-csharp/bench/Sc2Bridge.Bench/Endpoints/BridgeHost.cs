using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>The bridge as it runs in a match, without a game, a log or a recorder.</summary>
internal sealed class BridgeHost : IAsyncDisposable
{
    /// <summary>The match's name in every envelope.</summary>
    public const string MatchId = "benchmark";

    /// <summary>As many subscribers as are measured; of the whole process.</summary>
    public static readonly ConnectionAdmission Admission = new(new AdmissionLimits { Subscriptions = 10_000 });

    private static int _hosts;

    private readonly BridgeServer _server;
    private ulong _step;

    private BridgeHost(Hub hub, BridgeServer server) => (Hub, _server) = (hub, server);

    public Hub Hub { get; }

    /// <summary>gRPC's <c>HOST:PORT</c>.</summary>
    public string GrpcAddress => _server.GrpcAddress;

    public string WebAddress => _server.WebAddress;

    /// <summary><c>shm:NAME</c>, empty without shared memory.</summary>
    public string SharedMemoryAddress => _server.SharedMemoryAddress;

    /// <summary>Starts one, on ports of its own, that waits for a match.</summary>
    public static async Task<BridgeHost> StartEmptyAsync(
        CancellationToken ct, HubOptions? hubOptions = null, BridgeServerOptions? options = null)
    {
        var hub = new Hub(hubOptions ?? new HubOptions());
        options ??= new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" };
        options = options with
        {
            Admission = Admission,
            SharedMemoryName = $"sc2bridge-bench-{Environment.ProcessId}-{Interlocked.Increment(ref _hosts)}",
        };
        return new BridgeHost(hub, await BridgeServer.StartAsync(hub, options, ct));
    }

    /// <summary>Starts one whose match the benchmark publishes itself.</summary>
    /// <param name="ct">Stops the start.</param>
    /// <param name="tls">The certificate that it shows; null: no TLS.</param>
    public static async Task<BridgeHost> StartAsync(CancellationToken ct, Tls? tls = null)
    {
        var options = new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0", Tls = tls };
        var host = await StartEmptyAsync(ct, options: options);
        host.Hub.Announce(
            new MatchDescription { MatchId = MatchId, Perspectives = { 0 }, StepSize = 1 }, new NoRequests());
        return host;
    }

    /// <summary>An observation in a pooled buffer, as one from the game is.</summary>
    public static MessageBuffer Pooled(byte[] observation)
    {
        var buffer = MessageBuffer.Rent(observation.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        return buffer;
    }

    /// <summary>Publishes an observation that stands in a buffer, stamped now.</summary>
    public ValueTask PublishAsync(MessageBuffer buffer, CancellationToken ct)
    {
        var (step, now) = (_step++, MonotonicClock.NowNs);
        var header = new FrameHeader(MatchId, 0, step, (uint)step, now, now);
        return Hub.Publisher.PublishAsync(ObservationFrame.Create(buffer, 0, buffer.Length, header), ct);
    }

    /// <summary>Publishes the next observation, received into a pooled buffer.</summary>
    public ValueTask PublishAsync(MeasuredFrames frames, CancellationToken ct) =>
        PublishAsync(Pooled(frames.Observation(_step)), ct);

    /// <summary>Waits until the subscribers have gone, so that the next phase meets an empty hub.</summary>
    public async Task EmptyAsync(CancellationToken ct)
    {
        while (Hub.Subscribers.Count > 0)
        {
            await Task.Delay(1, ct);
        }
    }

    /// <summary>Records a hub's match to a file, unbuffered as a match's.</summary>
    public static MatchRecorder Record(Hub hub, string path) => new(
        hub,
        new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0),
        new RecorderOptions(),
        Console.Error.WriteLine,
        problem => Console.Error.WriteLine($"{path}: {problem}"));

    /// <summary>Runs a match as <c>sc2bridge match</c> does, to its end.</summary>
    public static async Task RunAsync(MatchRunner runner, CancellationToken ct)
    {
        var end = await runner.RunAsync(ct);
        if (end.Aborted)
        {
            throw new CommandException(end.Words());
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        Hub.Dispose();
    }
}

/// <summary>A match that has no game behind it.</summary>
internal sealed class NoRequests : IGameRequests
{
    public Task<SC2APIProtocol.Response> RequestAsync(
        uint perspective, SC2APIProtocol.Request request, CancellationToken ct) =>
        throw new InvalidOperationException("There is no game behind this match.");
}
