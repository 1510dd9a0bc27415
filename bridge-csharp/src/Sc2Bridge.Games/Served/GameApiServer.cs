using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>
/// A server for the game's API at <c>ws://HOST:PORT/sc2api</c>. It serves one client at a time and sends one Response for each
/// Request, in order. Messages are binary, but a client may mark its messages as text. The caller provides the answers. Like the real
/// game, the server quits when a client sends <c>quit</c>.
/// </summary>
public sealed class GameApiServer : IAsyncDisposable
{
    private static readonly TimeSpan StopPatience = TimeSpan.FromSeconds(2);

    private readonly WebApplication _app;
    private readonly Func<WebSocket, IServedClient> _begin;
    private readonly IRequestHandler? _game;
    private readonly bool _quitWhenAlone;
    private readonly ConnectionAdmission _admission;
    private readonly bool _ownsAdmission;
    private readonly AllowedHosts _hosts;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stopping = new();
    private int _clients;

    private GameApiServer(
        WebApplication app, ConnectionAdmission admission, bool ownsAdmission, Func<WebSocket, IServedClient> begin,
        IRequestHandler? game, GameApiOptions options)
    {
        (_admission, _ownsAdmission) = (admission, ownsAdmission);

        // Without this check, any web page could send requests to a game on a visitor's machine, and make the game write files.
        _hosts = new AllowedHosts(options.HostNames.Append(options.Listen), options.AllowedOrigins, localPages: false);
        (_app, _begin, _game, _quitWhenAlone) = (app, begin, game, options.QuitWhenAlone);
        _ = game?.Failure.ContinueWith(
            failed => Fail(failed.Exception!.InnerException!),
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>The port that the server listens on.</summary>
    public int Port { get; private set; }

    /// <summary>
    /// Completes when the game has quit, because a client requested that, or because the client left and the game quits without a client.
    /// If the game failed, the task fails with the game's exception.
    /// </summary>
    public Task Ended => _ended.Task;

    /// <summary>Starts a server for a game that answers requests one at a time.</summary>
    /// <param name="game">Answers the requests. Disposed with the server, and if the start fails.</param>
    /// <param name="options">The address and the limits.</param>
    /// <param name="admission">The client limits that several servers of this process share; null if this server has limits of its own.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <exception cref="ArgumentException">The address is not valid.</exception>
    /// <exception cref="IOException">The port is in use, or this machine does not have the address.</exception>
    public static Task<GameApiServer> StartAsync(
        IRequestHandler game, GameApiOptions options, ConnectionAdmission? admission, CancellationToken ct) =>
        StartAsync(socket => new GameApiClient(socket, game), game, options, admission, ct);

    /// <summary>Starts a server for clients that the caller serves.</summary>
    /// <param name="begin">Begins to serve a client on a connection. The server closes the connection afterwards.</param>
    /// <param name="options">The address and the limits.</param>
    /// <param name="admission">The client limits that several servers of this process share; null if this server has limits of its own.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <exception cref="ArgumentException">The address is not valid.</exception>
    /// <exception cref="IOException">The port is in use, or this machine does not have the address.</exception>
    public static Task<GameApiServer> StartAsync(
        Func<WebSocket, IServedClient> begin, GameApiOptions options, ConnectionAdmission? admission, CancellationToken ct) =>
        StartAsync(begin, null, options, admission, ct);

    private static async Task<GameApiServer> StartAsync(
        Func<WebSocket, IServedClient> begin, IRequestHandler? game, GameApiOptions options, ConnectionAdmission? sharedAdmission,
        CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(options);
        GameApiServer? server = null;
        try
        {
            var address = AddressOf(options);
            var admission = sharedAdmission ?? new ConnectionAdmission();
            server = new GameApiServer(
                Build(address, options.Port, admission), admission, ownsAdmission: sharedAdmission is null, begin, game, options);
            await server.ListenAsync(ct).ConfigureAwait(false);
            return server;
        }
        catch (Exception failure)
        {
            if ((server ?? (IAsyncDisposable?)game) is { } opened)
            {
                await opened.DisposeAsync().ConfigureAwait(false);
            }

            if (failure.GetBaseException() is not SocketException error)
            {
                throw;
            }

            throw new IOException(
                $"-listen {options.Listen} -port {options.Port} cannot be listened on ({error.Message}): give an "
                    + "address of this machine, such as 127.0.0.1, and a port that may be used.",
                error);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        _ended.TrySetResult();
        using var soon = new CancellationTokenSource(StopPatience);
        await _app.StopAsync(soon.Token).ConfigureAwait(false);
        await _app.DisposeAsync().ConfigureAwait(false);
        if (_game is not null)
        {
            await _game.DisposeAsync().ConfigureAwait(false);
        }

        if (_ownsAdmission)
        {
            _admission.Dispose();
        }

        _stopping.Dispose();
    }

    private static IPAddress AddressOf(GameApiOptions options) => options.Listen is "localhost" ? IPAddress.Loopback
        : IPAddress.TryParse(options.Listen, out var parsed) ? parsed
        : throw new ArgumentException($"-listen {options.Listen} is not an address: give one such as 127.0.0.1.");

    private static WebApplication Build(IPAddress address, int port, ConnectionAdmission admission)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Listen(address, port, listen => listen.Protocols = HttpProtocols.Http1);
        });
        builder.WebHost.UseAdmission(admission, _ => HttpProtocols.Http1);
        return builder.Build();
    }

    private async Task ListenAsync(CancellationToken ct)
    {
        _app.UseAllowedHosts(_admission, _hosts);
        _app.Use((context, next) =>
        {
            if (context.Features.Get<IHttpUpgradeFeature>() is { } upgrade)
            {
                context.Features.Set<IHttpUpgradeFeature>(new ClientStream.UpgradeFeature(upgrade));
            }

            return next(context);
        });

        // The game sends no pings. Instead, the admission checks whether the client's machine still answers.
        _app.UseWebSockets(new WebSocketOptions { KeepAliveInterval = TimeSpan.Zero });
        _app.Run(AcceptAsync);
        await _app.StartAsync(ct).ConfigureAwait(false);
        Port = new Uri(_app.Urls.First()).Port;
    }

    private async Task AcceptAsync(HttpContext context)
    {
        if (context.Request.Path != "/sc2api" || !context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        if (Interlocked.CompareExchange(ref _clients, 1, 0) != 0)
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            await context.Response.WriteAsync("The game serves one client at a time, and another client is connected.", context.RequestAborted);
            return;
        }

        var gameEnds = _quitWhenAlone;
        try
        {
            using var socket = await context.WebSockets.AcceptWebSocketAsync().ConfigureAwait(false);
            var client = _begin(socket);
            try
            {
                await client.ServeAsync(context.RequestAborted, _stopping.Token).ConfigureAwait(false);
            }
            finally
            {
                gameEnds |= client.HasEndedGame;
            }
        }
        catch (GameFailure failure)
        {
            // As when the real game crashes, the connection is cut and the process ends.
            Fail(failure.InnerException!);
            context.Abort();
        }
        catch (Exception disconnected) when (WebSocketEnd.MeansClosed(disconnected))
        {
            // The client disconnected, which is not an error.
        }
        finally
        {
            Volatile.Write(ref _clients, 0);
            if (gameEnds)
            {
                _ended.TrySetResult();
            }
        }
    }

    private void Fail(Exception failure) => _ended.TrySetException(failure);
}
