using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>
/// A match of StarCraft II, or of the simulated game, which is a process behind a socket just the same: launched or
/// attached to, created, joined (as the player whom agents play, or as an observer of computers), and followed to its
/// end. Where agents play two sides, one of the two: see <see cref="MultiplayerSource"/>.
/// </summary>
/// <remarks>
/// What agents do goes to the game as they are asked for (<see cref="LiveSource.RequestAsync"/>): before the step that is asked
/// for next, which follows without waiting for the answer, so that acting costs a step no round trip. In real time
/// <c>step</c> is illegal; the next observation is asked for with the game loop that it shall wait for, and the game
/// answers in order: what an agent asks or does meanwhile is written at once, so it goes before the next waiting
/// observation, and is answered when the one under way is. The delay is a step at most:
/// <see cref="MatchSettings.StepSize"/> / 22.4 s, 45 ms with steps of one loop.
/// </remarks>
public sealed class StarCraftSource : LiveSource
{
    // Ten times what the simulated game takes for a loop late in a match; StarCraft II is faster.
    private static readonly TimeSpan LoopPatience = TimeSpan.FromMilliseconds(10);

    private readonly MatchSettings _settings;
    private readonly PlayerSlot _slot;
    private readonly GameLaunch? _launch;

    /// <summary>A match in a game that is started and ends with the match, or in one that runs already and is left running.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="origin">The game.</param>
    /// <param name="options">How its connection is treated.</param>
    /// <param name="slot">Which side of it this is; null where there is but one.</param>
    /// <param name="kept">Keeps the game for the next match; null where it ends with this one.</param>
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
