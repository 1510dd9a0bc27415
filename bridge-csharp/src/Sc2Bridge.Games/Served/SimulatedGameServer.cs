using Sc2Bridge.Admission;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games;

/// <summary>The simulated game as a server: a <see cref="GameApiServer"/> with it behind.</summary>
public static class SimulatedGameServer
{
    /// <summary>Starts a game that counts its clients by itself, and listens.</summary>
    /// <param name="options">Where, and what it answers.</param>
    /// <param name="ct">Gives up starting.</param>
    /// <returns>The server. Its end fails with a <see cref="SimulatedGameException"/> if the game did.</returns>
    /// <exception cref="ArgumentException">The address or the folder of observations cannot be used.</exception>
    /// <exception cref="IOException">The port is taken, or this machine does not have the address.</exception>
    public static Task<GameApiServer> StartAsync(SimulatorOptions options, CancellationToken ct = default) =>
        StartAsync(options, admission: null, ct);

    /// <inheritdoc cref="StartAsync(SimulatorOptions, CancellationToken)"/>
    /// <param name="options">Where, and what it answers.</param>
    /// <param name="admission">Counts and limits clients, with others of the process; null: by itself.</param>
    /// <param name="ct">Gives up starting.</param>
    public static async Task<GameApiServer> StartAsync(
        SimulatorOptions options, ConnectionAdmission? admission, CancellationToken ct) =>
        await GameApiServer.StartAsync(new SimulatedRequestHandler(options), options, admission, ct).ConfigureAwait(false);
}
