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
/// The server end of the game's API, <c>ws://HOST:PORT/sc2api</c>: binary messages (a client may call its own text), one
/// Response for each Request in order, one client at a time. Who answers is behind it; it quits when told to, as the real game does.
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

        // A page from elsewhere could play on the visitor's machine, and have the game write files.
        _hosts = new AllowedHosts(options.HostNames.Append(options.Listen), options.AllowedOrigins, localPages: false);
        (_app, _begin, _game, _quitWhenAlone) = (app, begin, game, options.QuitWhenAlone);
        _ = game?.Failure.ContinueWith(
            failed => Fail(failed.Exception!.InnerException!),
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>The port that it listens on.</summary>
    public int Port { get; private set; }

    /// <summary>
    /// Completes when the game has quit: a client asked for it, or its client left and it was to follow. Fails with what
    /// the game threw if it failed.
    /// </summary>
    public Task Ended => _ended.Task;

    /// <summary>Listens, for a game that answers requests one at a time.</summary>
    /// <param name="game">Answers; disposed with the server, and if this fails.</param>
    /// <param name="options">Where to listen.</param>
    /// <param name="admission">Counts and limits clients, with others of the process; null: by itself.</param>
    /// <param name="ct">Gives up starting.</param>
    /// <exception cref="ArgumentException">The address is not valid.</exception>
    /// <exception cref="IOException">The port is taken, or this machine does not have the address.</exception>
    public static Task<GameApiServer> StartAsync(
        IRequestHandler game, GameApiOptions options, ConnectionAdmission? admission, CancellationToken ct) =>
        StartAsync(socket => new GameApiClient(socket, game), game, options, admission, ct);

    /// <summary>Listens, for clients that somebody else serves.</summary>
    /// <param name="begin">Serves a client of a connection, which the server closes when the client was served.</param>
    /// <param name="options">Where to listen.</param>
    /// <param name="admission">Counts and limits clients, with others of the process; null: by itself.</param>
    /// <param name="ct">Gives up starting.</param>
    /// <exception cref="ArgumentException">The address is not valid.</exception>
    /// <exception cref="IOException">The port is taken, or this machine does not have the address.</exception>
    public static Task<GameApiServer> StartAsync(
        Func<WebSocket, IServedClient> begin, GameApiOptions options, ConnectionAdmission? admission, CancellationToken ct) =>
        StartAsync(begin, null, options, admission, ct);

    private static async Task<GameApiServer> StartAsync(
        Func<WebSocket, IServedClient> begin, IRequestHandler? game, GameApiOptions options, ConnectionAdmission? given,
        CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(options);
        GameApiServer? server = null;
        try
        {
            var address = AddressOf(options);
            var admission = given ?? new ConnectionAdmission();
            server = new GameApiServer(
                Build(address, options.Port, admission), admission, ownsAdmission: given is null, begin, game, options);
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
                context.Features.Set<IHttpUpgradeFeature>(new ClientStream.Upgrade(upgrade));
            }

            return next(context);
        });

        // The game sends no pings, and a client must send none: admission watches the client's machine.
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
            await context.Response.WriteAsync("The game has one client at a time, and has one.", context.RequestAborted);
            return;
        }

        var ends = _quitWhenAlone;
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
                ends |= client.EndedGame;
            }
        }
        catch (GameFailure failure)
        {
            // As when the real one crashes: the connection is cut and the process ends.
            Fail(failure.InnerException!);
            context.Abort();
        }
        catch (Exception left) when (WebSocketEnd.Is(left))
        {
            // The client went away, which is its right.
        }
        finally
        {
            Volatile.Write(ref _clients, 0);
            if (ends)
            {
                _ended.TrySetResult();
            }
        }
    }

    private void Fail(Exception failure) => _ended.TrySetException(failure);
}
