using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A game that was started here, and ends with this, or that was attached to, and is left running.</summary>
internal sealed class RunningGame : IAsyncDisposable
{
    private const int PortAttempts = 3;

    private static readonly TimeSpan QuitPatience = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan AttachPatience = TimeSpan.FromSeconds(10);

    // Several that start at the same moment get in each other's way.
    private static readonly SemaphoreSlim OneStarts = new(1);

    private readonly GameProcess? _process;
    private int _disposed;

    private RunningGame(GameProcess? process, GameClient client)
    {
        _process = process;
        Client = client;
    }

    /// <summary>The bridge's end of its API.</summary>
    internal GameClient Client { get; }

    /// <summary>Starts a game, or connects to one that runs already.</summary>
    /// <param name="origin">The game: it is started, or attached to if it runs already.</param>
    /// <param name="options">How the connection is treated.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="GameException">It does not start, or nothing listens there.</exception>
    internal static Task<RunningGame> OpenAsync(
        GameOrigin origin, GameClientOptions options, CancellationToken ct) => origin is GameLaunch launch
            ? StartAsync(launch, options, ct)
            : AttachAsync((GameAddress)origin, options, ct);

    /// <summary>Starts a game, and connects to it; several start one after the other.</summary>
    /// <exception cref="GameException">It does not start, or does not listen.</exception>
    internal static async Task<RunningGame> StartAsync(
        GameLaunch launch, GameClientOptions options, CancellationToken ct)
    {
        await OneStarts.WaitAsync(ct);
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
            OneStarts.Release();
        }
    }

    /// <summary>Connects to a game that runs already.</summary>
    /// <exception cref="GameException">Nothing listens there.</exception>
    internal static async Task<RunningGame> AttachAsync(
        GameAddress address, GameClientOptions options, CancellationToken ct) =>
        new(null, new GameClient(await GameConnector.OpenAsync(address, AttachPatience, gone: null, ct), options));

    /// <summary>Asks a game for an agent.</summary>
    /// <param name="game">The game; null before it was started.</param>
    /// <param name="match">The match that it is in; null before it is.</param>
    /// <param name="perspective">Whose eyes the agent has.</param>
    /// <param name="request">The agent's.</param>
    /// <param name="ct">Gives up waiting.</param>
    /// <exception cref="RequestRefusedException">It cannot be asked.</exception>
    internal static async Task<Response> AskForAgentAsync(
        RunningGame? game, V1.MatchDescription? match, uint perspective, Request request, CancellationToken ct)
    {
        if (game is null || match is null)
        {
            throw new RequestRefusedException(StatusCode.FailedPrecondition, "The match has not been started.");
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

    /// <summary>Ends the game that was started here; leaves the match of one that was attached to.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 1)
        {
            return;
        }

        await TakeLeaveAsync();
        await Client.DisposeAsync();
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }
    }

    // Best effort: the process is killed afterwards, and a connection may be broken already.
    private async Task TakeLeaveAsync()
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
        catch (Exception left) when (left is GameException or OperationCanceledException)
        {
        }
    }
}
