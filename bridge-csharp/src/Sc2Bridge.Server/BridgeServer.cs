using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>One Kestrel for agents: gRPC on one address (HTTP/2), the WebSocket on another (HTTP/1.1).</summary>
public sealed class BridgeServer : IAsyncDisposable
{
    // What the process grows by for each that reads nothing, less what is charged elsewhere.
    internal const int SubscriberBytes = 256 << 10;

    private readonly WebApplication _app;

    private readonly SharedMemoryServer? _memory;
    private bool _isDisposed;

    private BridgeServer(WebApplication app, string grpcAddress, string webAddress, SharedMemoryServer? memory, string problem)
    {
        _app = app;
        _memory = memory;
        SharedMemoryProblem = problem;
        GrpcAddress = grpcAddress;
        WebAddress = webAddress;
    }

    /// <summary>Where gRPC listens, with the port that was chosen; empty where it does not.</summary>
    public string GrpcAddress { get; }

    /// <summary>Where the WebSocket listens; empty where it does not.</summary>
    public string WebAddress { get; }

    /// <summary><c>shm:NAME</c>, where memory is shared with programs of this machine; empty where none is.</summary>
    public string SharedMemoryAddress => _memory is null ? "" : $"shm:{_memory.Name}";

    /// <summary>Blocks of it that somebody holds.</summary>
    internal int SharedBlocks => _memory?.Held ?? 0;

    /// <summary>Why none is; empty where it is, or was not asked for.</summary>
    public string SharedMemoryProblem { get; }

    /// <summary>Starts to listen; takes no signals, reads no files and writes nothing to the console.</summary>
    /// <param name="hub">What agents subscribe to; it outlives the server.</param>
    /// <param name="options">Where.</param>
    /// <param name="ct">Gives the start up.</param>
    /// <exception cref="AddressInUseException">Another process listens there already.</exception>
    /// <exception cref="AddressException">It cannot listen there for another reason.</exception>
    public static async Task<BridgeServer> StartAsync(Hub hub, BridgeServerOptions options, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(options);
        var grpc = options.GrpcAddress is { } grpcText ? BridgeAddress.Parse(grpcText) : null;
        var web = options.WebAddress is { } webText ? BridgeAddress.Parse(webText) : null;
        List<BridgeAddress> addresses = [.. new[] { grpc, web }.OfType<BridgeAddress>()];
        foreach (var address in addresses)
        {
            AddressProblems.RemoveStaleSocket(address);
        }

        var app = Build(hub, options, grpc, web);
        try
        {
            await StartAsync(app, addresses, ct);
            var bound = new Queue<string>(
                app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses);
            var memory = Share(app, options.SharedMemoryName, out var without);
            app.Services.GetRequiredService<BridgeCalls>().SharesMemory = memory is not null;
            return new BridgeServer(
                app,
                grpc is null ? "" : Bound(grpc, bound.Dequeue()),
                web is null ? "" : Bound(web, bound.Dequeue()),
                memory,
                without);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// Stops listening and ends every call that still runs: gRPC calls with UNAVAILABLE. To let agents receive a
    /// match's last events, end the match in the hub first and wait until its subscriptions are gone.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, true))
        {
            return;
        }

        using var patience = new CancellationTokenSource(SessionLimits.StopTimeout);
        await Task.WhenAll(_app.StopAsync(patience.Token), _memory?.DisposeAsync().AsTask() ?? Task.CompletedTask);
        await _app.DisposeAsync();
    }

    private static async Task StartAsync(WebApplication app, List<BridgeAddress> addresses, CancellationToken ct)
    {
        try
        {
            await app.StartAsync(ct);
        }
        catch (Exception problem) when (AddressProblems.Explain(problem, addresses) is { } clear)
        {
            throw clear;
        }
    }

    // Null if no memory is shared: the problem says why, if any was asked for.
    private static SharedMemoryServer? Share(WebApplication app, string? name, out string problem)
    {
        problem = "";
        try
        {
            return name is null ? null : SharedMemoryServer.Start(
                name, app.Services.GetRequiredService<SessionServices>(), app.Services.GetRequiredService<Authentication>());
        }
        catch (IOException none) when (none is not AddressException)
        {
            problem = none.Message;
            return null;
        }
    }

    private static WebApplication Build(Hub hub, BridgeServerOptions options, BridgeAddress? grpc, BridgeAddress? web)
    {
        // The empty builder: no configuration files, no environment, no logging but where the options say.
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton(options.LoggerFactory);
        builder.Services.AddRoutingCore();
        builder.Services.AddSingleton(hub);
        builder.Services.AddSingleton(options);
        var admission = options.Admission ?? new ConnectionAdmission();
        admission.Noticed += hub.Events.Notice;
        if (options.Admission is null)
        {
            // Made by the container, and so disposed by it, also where the start fails.
            builder.Services.AddSingleton(_ => admission);
        }
        else
        {
            builder.Services.AddSingleton(admission);
        }

        builder.Services.AddSingleton(options.Compression ?? new SharedCompression(hub.Memory));
        builder.Services.AddSingleton<Authentication>();
        builder.Services.AddSingleton(new BridgeCalls(hub, new StatusOfBridge(hub, options.Health)));
        builder.Services.AddSingleton(services => new SessionServices(
            hub, services.GetRequiredService<BridgeCalls>(), services.GetRequiredService<SharedCompression>(), admission,
            new RequestRoom(hub.Memory), options.UnreadTimeout, options.LoggerFactory.CreateLogger<AgentSession>()));
        builder.Services.AddSingleton(_ => new StrangerAnswers(options.StrangerTimeout));
        builder.Services.AddBridgeGrpc();
        builder.Services.AddBridgeTelemetry(options);
        builder.Services.AddSingleton<IHostLifetime, QuietLifetime>();
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = SessionLimits.StopTimeout);
        builder.WebHost.UseKestrelCore().UseBridgeKestrel().UseAdmission(
            admission,
            address => options.Tls is not null ? null
                : ReferenceEquals(address, grpc?.EndPoint) ? HttpProtocols.Http2 : HttpProtocols.Http1);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            Listen(kestrel, grpc, HttpProtocols.Http2, options);
            Listen(kestrel, web, HttpProtocols.Http1, options);
        });

        var app = builder.Build();
        var named = new[] { grpc, web }.OfType<BridgeAddress>().Select(address => address.Host).Where(host => host != "*");
        app.Services.GetRequiredService<StrangerAnswers>().Watch(app);
        app.UseAllowedHosts(
            admission, new AllowedHosts(named.Concat(options.AllowedHosts), options.AllowedOrigins, localPages: true));
        app.UseRouting();
        app.Services.GetRequiredService<Authentication>().GuardEndpoints(app);
        app.MapBridgeGrpc();
        app.MapBridgeWebSocket();
        app.MapBridgeTelemetry();
        app.MapPage();
        return app;
    }

    private static void Listen(KestrelServerOptions kestrel, BridgeAddress? address, HttpProtocols protocols, BridgeServerOptions options)
    {
        if (address is not null)
        {
            kestrel.Listen(address.EndPoint, listen =>
            {
                listen.Protocols = protocols;
                if (address.IsLocal || options.AllowAnonymous)
                {
                    Authentication.AllowAnonymous(listen);
                }

                // Below TLS: it counts the bytes that the socket gets.
                SendBacklog.Use(listen);
                options.Tls?.Use(listen);
            });
        }
    }

    private static string Bound(BridgeAddress asked, string bound) =>
        asked.EndPoint is IPEndPoint ? $"{asked.Host}:{new Uri(bound).Port}" : asked.Text;

    // The program that hosts the bridge decides what Ctrl-C means.
    private sealed class QuietLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
