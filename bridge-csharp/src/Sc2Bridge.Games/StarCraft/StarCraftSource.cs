using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>
/// A match of StarCraft II or of the simulated game. The bridge reaches both through a socket. This source starts the game or
/// attaches to it. It creates the match, joins it (as the agents' player, or as an observer of computers) and reads the observations until the match ends.
/// If agents play two sides, each side has its own <c>StarCraftSource</c>: see <see cref="MultiplayerSource"/>.
/// </summary>
/// <remarks>
/// An agent's actions go to the game when the agent sends them (<see cref="LiveSource.RequestAsync"/>), before the request for
/// the next step. That request does not wait for the game's answer to the actions, so an action costs no extra round trip. In real time,
/// <c>step</c> is illegal. Instead, the request for an observation contains the game loop to wait for. The game answers
/// requests in order. An agent's request is sent at once. So the game answers the agent's request after the observation
/// that was requested before, and before the next observation. The delay is at most one step:
/// <see cref="MatchSettings.StepSize"/> / 22.4 s, which is 45 ms with steps of one loop.
/// </remarks>
public sealed class StarCraftSource : LiveSource
{
    // This is ten times as long as the simulated game needs for a loop late in a match. StarCraft II is faster than the simulated game.
    private static readonly TimeSpan LoopPatience = TimeSpan.FromMilliseconds(10);

    private readonly MatchSettings _settings;
    private readonly PlayerSlot _slot;
    private readonly GameLaunch? _launch;

    /// <summary>Creates a match in a game that is started for it, or in a game that runs already and keeps running.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="origin">The game.</param>
    /// <param name="options">The limits of the connection.</param>
    /// <param name="slot">The side that this client plays; null for a single client.</param>
    /// <param name="kept">Keeps the game for the next match; null if the game ends with this match.</param>
    public StarCraftSource(
        MatchSettings settings, GameOrigin origin, GameClientOptions? options = null, PlayerSlot? slot = null,
        KeptGame? kept = null)
        : base(origin, Options(settings, options ?? new GameClientOptions()), kept)
    {
        settings.Validate();
        (_settings, _slot, _launch) = (settings, slot ?? PlayerSlot.Alone, origin as GameLaunch);
    }

    /// <inheritdoc/>
    private protected override async Task<EnteredMatch> EnterAsync(GameClient client, CancellationToken ct)
    {
        var description = await MatchSetup.RunAsync(client, _settings, _slot, _launch, ct);
        return new EnteredMatch(description, _settings, description.Perspectives[0]);
    }

    private static GameClientOptions Options(MatchSettings settings, GameClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(settings);
        return options with { RequestTimeout = options.RequestTimeout + (settings.StepSize * LoopPatience) };
    }
}
