using Sc2Bridge.GameApi;

namespace Sc2Bridge.Bench;

/// <summary>
/// The game without a bridge: its own API, on the server that the simulated game has, with the measurement's frames for its
/// observations. Its client asks for each; the answer is given when the observation is due, as the game in real time
/// answers one that asks for a later loop.
/// </summary>
internal sealed class GameSender : IMeasurementSender
{
    private readonly GameApiServer _server;
    private readonly PolledGame _game;

    private GameSender(GameApiServer server, PolledGame game, string host)
    {
        (_server, _game) = (server, game);
        Addresses = new SenderAddresses(Api: FormattableString.Invariant($"{host}:{server.Port}"));
    }

    /// <inheritdoc/>
    public SenderAddresses Addresses { get; }

    /// <summary>Listens on a free port.</summary>
    public static async Task<GameSender> StartAsync(string host, CancellationToken ct)
    {
        var game = new PolledGame();
        return new GameSender(await GameApiServer.StartAsync(game, new Options { Listen = host }, ct), game, host);
    }

    /// <inheritdoc/>
    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        await match.StartAsync(ct);
        await _game.PlayAsync(match).WaitAsync(ct);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private sealed record Options : GameApiOptions;
}
