using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Creates the source of a match, with all game processes that it needs.</summary>
internal static class MatchSource
{
    /// <summary>Makes the source of a match.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="options">The requested game.</param>
    /// <param name="proxy">The options for bots that connect to the bridge as if it were the game; null if no such bot
    /// plays.</param>
    /// <param name="print">Prints a line that names the game.</param>
    /// <param name="isFirst">Whether this is the first match of the session. If so, its map is checked before agents are started.</param>
    /// <param name="onListening">Called for each bot behind the proxy, with its player id and the address that the bot can connect to.</param>
    /// <param name="keptGames">The games that are kept for the next match, one for each side; null if the games end with this match.</param>
    /// <returns>The source, which is not started yet.</returns>
    /// <exception cref="GameException">The game was not found.</exception>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    internal static IGameSource Make(
        MatchSettings settings, GameOptions options, ProxyOptions? proxy, Action<string> print,
        Action<uint, GameAddress> onListening, bool isFirst, IReadOnlyList<KeptGame>? keptGames = null)
    {
        var game = GameChooser.Choose(options, print);
        if (isFirst)
        {
            settings.CheckMap(game.Launch);

            // StarCraft II has maps for one player, such as the mini-games of PySC2. The simulated game has no such map.
            if (game.Launch is { Simulated: true } && settings is { Scenario: null, Players.Count: 1 } && options.Observations is null)
            {
                throw new CommandException(
                    $"--player {settings.Players[0]} has no opponent, and would win at once: add a second --player, such as --player computer:zerg:Easy");
            }
        }

        var client = options.ClientOptions;
        var bots = proxy is null ? null : proxy with { Say = print, OnListening = address => onListening((uint)settings.Sides[0] + 1, address) };
        if (settings.Sides.Count < 2)
        {
            return (game.Launch, bots) switch
            {
                ({ } launch, null) => new StarCraftSource(settings, launch, client, kept: keptGames?[0]),
                ({ } launch, _) => new ProxySource(settings, launch, bots, client),
                (_, null) => new StarCraftSource(settings, game.Address!, client, kept: keptGames?[0]),
                _ => new ProxySource(settings, game.Address!, bots, client),
            };
        }

        var started = game.Launch ?? throw new CommandException(
            "--attach takes one game, but two sides that clients play need two games: leave out --attach, and the bridge starts both");

        // The game requires a separate game process for each side.
        var shared = new SharedMatch(settings.Sides.Count);
        return new MultiplayerSource([.. settings.Sides.Select((index, side) => CreateSide(index, side))]);

        // Bots of two sides connect to two ports.
        ProxyOptions BotOptions(int index, int side) => bots! with
        {
            Port = bots!.Port == 0 ? 0 : bots.Port + side,
            Say = line => print($"player {index + 1}: {line}"),
            OnListening = address => onListening((uint)index + 1, address),
        };

        IGameSource CreateSide(int index, int side)
        {
            var launch = side == 0 ? started : started with { Port = 0 };
            var slot = new PlayerSlot(side, shared);
            return settings.Players[index].Kind == V1.PlayerKind.Api
                ? new ProxySource(settings, launch, BotOptions(index, side), client, slot)
                : new StarCraftSource(settings, launch, client, slot, keptGames?[side]);
        }
    }
}
