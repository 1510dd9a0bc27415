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

/// <summary>The Kestrel server for agents: gRPC on one address (HTTP/2), the WebSocket on another (HTTP/1.1).</summary>
public sealed class BridgeServer : IAsyncDisposable
{
    // The memory of a subscriber that reads nothing, in addition to the memory that is charged elsewhere.
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

    /// <summary>The address of gRPC, with the chosen port; empty if gRPC is off.</summary>
    public string GrpcAddress { get; }

    /// <summary>The address of the WebSocket; empty if the WebSocket is off.</summary>
    public string WebAddress { get; }

    /// <summary><c>shm:NAME</c> if the bridge shares memory with programs of this machine; otherwise empty.</summary>
    public string SharedMemoryAddress => _memory is null ? "" : $"shm:{_memory.Name}";

    /// <summary>The number of shared blocks in use.</summary>
    internal int SharedBlocks => _memory?.BlocksInUse ?? 0;

    /// <summary>Why no memory is shared; empty if memory is shared, or if shared memory was not requested.</summary>
    public string SharedMemoryProblem { get; }

    /// <summary>Starts to listen. The server handles no signals, reads no files and writes nothing to the console.</summary>
    /// <param name="hub">The hub that agents subscribe to. The server does not dispose it.</param>
    /// <param name="options">The settings.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <exception cref="AddressInUseException">Another process already listens on the address.</exception>
    /// <exception cref="AddressException">The server cannot listen on the address for another reason.</exception>
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
            var memory = TryShareMemory(app, options.SharedMemoryName, out var problem);
            app.Services.GetRequiredService<BridgeCalls>().SharesMemory = memory is not null;
            return new BridgeServer(
                app,
                grpc is null ? "" : BoundAddress(grpc, bound.Dequeue()),
                web is null ? "" : BoundAddress(web, bound.Dequeue()),
                memory,
                problem);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// Stops listening and ends all running calls; gRPC calls get UNAVAILABLE. To let agents receive a match's last events,
    /// first end the match in the hub, and wait until its subscriptions have ended.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, true))
        {
            return;
        }

        using var timeout = new CancellationTokenSource(SessionLimits.StopTimeout);
        await Task.WhenAll(_app.StopAsync(timeout.Token), _memory?.DisposeAsync().AsTask() ?? Task.CompletedTask);
        await _app.DisposeAsync();
    }

    private static async Task StartAsync(WebApplication app, List<BridgeAddress> addresses, CancellationToken ct)
    {
        try
        {
            await app.StartAsync(ct);
        }
        catch (Exception problem) when (AddressProblems.Explain(problem, addresses) is { } explained)
        {
            throw explained;
        }
    }

    // Returns null if no memory is shared. In this case, `problem` is the reason, or empty if shared memory was not
    // requested.
    private static SharedMemoryServer? TryShareMemory(WebApplication app, string? name, out string problem)
    {
        problem = "";
        try
        {
            return name is null ? null : SharedMemoryServer.Start(
                name, app.Services.GetRequiredService<SessionServices>(), app.Services.GetRequiredService<Authentication>());
        }
        catch (IOException unavailable) when (unavailable is not AddressException)
        {
            problem = unavailable.Message;
            return null;
        }
    }

    private static WebApplication Build(Hub hub, BridgeServerOptions options, BridgeAddress? grpc, BridgeAddress? web)
    {
        // The empty builder reads no configuration files and no environment variables, and logs only to the given loggers.
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton(options.LoggerFactory);
        builder.Services.AddRoutingCore();
        builder.Services.AddSingleton(hub);
        builder.Services.AddSingleton(options);
        var admission = options.Admission ?? new ConnectionAdmission();
        admission.Noticed += hub.Events.Notice;
        if (options.Admission is null)
        {
            // With a factory, the container owns the admission and disposes it, even if the start fails.
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
        var hosts = new[] { grpc, web }.OfType<BridgeAddress>().Select(address => address.Host).Where(host => host != "*");
        app.Services.GetRequiredService<StrangerAnswers>().Watch(app);
        app.UseAllowedHosts(
            admission, new AllowedHosts(hosts.Concat(options.AllowedHosts), options.AllowedOrigins, localPages: true));
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

                // Installed before TLS, so that the backlog counts the bytes that reach the socket.
                SendBacklog.Use(listen);
                options.Tls?.EnableOn(listen);
            });
        }
    }

    private static string BoundAddress(BridgeAddress requested, string bound) =>
        requested.EndPoint is IPEndPoint ? $"{requested.Host}:{new Uri(bound).Port}" : requested.Text;

    // This lifetime does nothing, because the host program handles Ctrl-C.
    private sealed class QuietLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
