using Sc2Bridge.GameApi;

namespace Sc2Bridge.Simulator;

/// <summary>The simulated game as a server: a <see cref="GameApiServer"/> with it behind.</summary>
public sealed class SimulatedGameServer : IAsyncDisposable
{
    private readonly GameApiServer _server;

    private SimulatedGameServer(GameApiServer server) => _server = server;

    /// <summary>The port that it listens on.</summary>
    public int Port => _server.Port;

    /// <summary>
    /// Completes when the game has quit: it was told to, or its client left and it was to follow. Fails with a
    /// <see cref="SimulatedGameException"/> where the game did.
    /// </summary>
    public Task Ended => _server.Ended;

    /// <summary>Starts a game and listens.</summary>
    /// <param name="options">Where, and what it answers.</param>
    /// <param name="ct">Gives up starting.</param>
    /// <exception cref="ArgumentException">The address or the folder of observations cannot be used.</exception>
    /// <exception cref="IOException">The port is taken, or the address is none of this machine's.</exception>
    public static async Task<SimulatedGameServer> StartAsync(SimulatorOptions options, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        return new(await GameApiServer.StartAsync(new SimulatedRequestHandler(options), options, ct).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
