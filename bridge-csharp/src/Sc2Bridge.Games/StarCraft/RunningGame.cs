using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A connected game. A game that this class started ends with this object. A game that ran already keeps running.</summary>
internal sealed class RunningGame : IAsyncDisposable
{
    private const int PortAttempts = 3;

    private static readonly TimeSpan QuitPatience = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan AttachPatience = TimeSpan.FromSeconds(10);

    // Games that start at the same moment disturb each other, so only one game starts at a time.
    private static readonly SemaphoreSlim StartLock = new(1);

    private readonly GameProcess? _process;
    private int _disposed;

    private RunningGame(GameProcess? process, GameClient client)
    {
        _process = process;
        Client = client;
    }

    /// <summary>The client of the game's API.</summary>
    internal GameClient Client { get; }

    /// <summary>Starts a game, or connects to a game that runs already.</summary>
    /// <param name="origin">The game to start, or the address of a game that runs already.</param>
    /// <param name="options">The limits of the connection.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <exception cref="GameException">The game does not start, or nothing listens at the address.</exception>
    internal static Task<RunningGame> OpenAsync(
        GameOrigin origin, GameClientOptions options, CancellationToken ct) => origin is GameLaunch launch
            ? StartAsync(launch, options, ct)
            : AttachAsync((GameAddress)origin, options, ct);

    /// <summary>Starts a game and connects to it. Only one game starts at a time.</summary>
    /// <exception cref="GameException">The game does not start, or does not listen.</exception>
    internal static async Task<RunningGame> StartAsync(
        GameLaunch launch, GameClientOptions options, CancellationToken ct)
    {
        await StartLock.WaitAsync(ct);
        try
        {
            for (var attempt = 1; ; attempt++)
            {
                var process = GameProcess.Start(launch);
                try
                {
                    return new RunningGame(process, await process.ConnectAsync(options, ct));
                }
                catch (GameException) when (attempt < PortAttempts && process.HasLostPort)
                {
                    // Another program took the port before the game listened on it.
                    await process.DisposeAsync();
                }
                catch
                {
                    await process.DisposeAsync();
                    throw;
                }
            }
        }
        finally
        {
            StartLock.Release();
        }
    }

    /// <summary>Connects to a game that runs already.</summary>
    /// <exception cref="GameException">Nothing listens at the address.</exception>
    internal static async Task<RunningGame> AttachAsync(
        GameAddress address, GameClientOptions options, CancellationToken ct) =>
        new(null, new GameClient(await GameConnector.OpenAsync(address, AttachPatience, gone: null, ct), options));

    /// <summary>Sends an agent's request to a game and returns the answer.</summary>
    /// <param name="game">The game; null before it was started.</param>
    /// <param name="match">The game's match; null before the match was joined.</param>
    /// <param name="perspective">The agent's perspective.</param>
    /// <param name="request">The agent's request.</param>
    /// <param name="ct">Ends the wait for the answer.</param>
    /// <exception cref="RequestRefusedException">The request cannot be sent, or was refused.</exception>
    internal static async Task<Response> AskForAgentAsync(
        RunningGame? game, V1.MatchDescription? match, uint perspective, Request request, CancellationToken ct)
    {
        if (game is null || match is null)
        {
            throw new RequestRefusedException(StatusCode.FailedPrecondition, "The match has not been started: ask again when it runs.");
        }

        if (!match.Perspectives.Contains(perspective))
        {
            throw new RequestRefusedException(
                StatusCode.InvalidArgument,
                $"There is no perspective {perspective} in this match: ask with perspective {match.Perspectives[0]}.");
        }

        try
        {
            return await game.Client.ExchangeAsync(request, ct);
        }
        catch (GameRequestException refused)
        {
            throw new RequestRefusedException(StatusCode.FailedPrecondition, refused.Message);
        }
        catch (GameException failed)
        {
            throw new RequestRefusedException(StatusCode.Unavailable, failed.Message);
        }
    }

    /// <summary>Ends the game if this class started it. A game that ran already only leaves its match.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 1)
        {
            return;
        }

        await LeaveAsync();
        await Client.DisposeAsync();
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }
    }

    // Failures are ignored: the connection may be broken already, and a started process is killed afterwards.
    private async Task LeaveAsync()
    {
        using var patience = new CancellationTokenSource(QuitPatience);
        try
        {
            if (_process is not null)
            {
                await Client.ExchangeAsync(new Request { Quit = new RequestQuit() }, patience.Token);
                await _process.WaitForExitAsync(QuitPatience);
            }
            else
            {
                await Client.ExchangeAsync(new Request { LeaveGame = new RequestLeaveGame() }, patience.Token);
            }
        }
        catch (Exception failure) when (failure is GameException or OperationCanceledException)
        {
        }
    }
}
