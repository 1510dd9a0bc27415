using Sc2Bridge.Admission;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games;

/// <summary>Serves the simulated game, through a <see cref="GameApiServer"/>.</summary>
public static class SimulatedGameServer
{
    /// <summary>Starts a simulated game and a server for the game. The server has client limits of its own.</summary>
    /// <param name="options">The address and the game's options.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <returns>The server. If the game fails, <see cref="GameApiServer.Ended"/> fails with a
    /// <see cref="SimulatedGameException"/>.</returns>
    /// <exception cref="ArgumentException">The address or the folder of observations cannot be used.</exception>
    /// <exception cref="IOException">The port is in use, or this machine does not have the address.</exception>
    public static Task<GameApiServer> StartAsync(SimulatorOptions options, CancellationToken ct = default) =>
        StartAsync(options, admission: null, ct);

    /// <inheritdoc cref="StartAsync(SimulatorOptions, CancellationToken)"/>
    /// <param name="options">The address and the game's options.</param>
    /// <param name="admission">The client limits that several servers of this process share; null if this server has limits of its own.</param>
    /// <param name="ct">Cancels the start.</param>
    public static async Task<GameApiServer> StartAsync(
        SimulatorOptions options, ConnectionAdmission? admission, CancellationToken ct) =>
        await GameApiServer.StartAsync(new SimulatedRequestHandler(options), options, admission, ct).ConfigureAwait(false);
}
