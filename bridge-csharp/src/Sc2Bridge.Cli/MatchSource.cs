using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Makes the source of a match, on as many game processes as it takes.</summary>
internal static class MatchSource
{
    /// <summary>Makes it.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="options">The game that was asked for.</param>
    /// <param name="proxy">How bots are let in that connect as if the bridge were the game; null where none
    /// plays.</param>
    /// <param name="say">Gets a line that says which it is.</param>
    /// <param name="isFirst">Whether it is the session's first: its map is checked before agents are started.</param>
    /// <param name="listens">Gets the player and the address of each such bot.</param>
    /// <param name="kept">Keeps the game of each side for the next match; null where they end with this one.</param>
    /// <returns>The match, not started yet.</returns>
    /// <exception cref="GameException">There is no such game.</exception>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    internal static IGameSource Make(
        MatchSettings settings, GameOptions options, ProxyOptions? proxy, Action<string> say,
        Action<uint, GameAddress> listens, bool isFirst, IReadOnlyList<KeptGame>? kept = null)
    {
        var game = GameChooser.Choose(options, say);
        if (isFirst)
        {
            settings.CheckMap(game.Launch);

            // StarCraft II has maps for one player, as PySC2's mini-games are.
            if (game.Launch is { Simulated: true } && settings is { Scenario: null, Players.Count: 1 } && options.Observations is null)
            {
                throw new CommandException(
                    $"--player {settings.Players[0]} has no opponent, and would win at once: add a second --player, such as --player computer:zerg:Easy");
            }
        }

        var client = options.Client;
        var bots = proxy is null ? null : proxy with { Say = say, Listens = address => listens((uint)settings.Sides[0] + 1, address) };
        if (settings.Sides.Count < 2)
        {
            return (game.Launch, bots) switch
            {
                ({ } launch, null) => new StarCraftSource(settings, launch, client, kept: kept?[0]),
                ({ } launch, _) => new ProxySource(settings, launch, bots, client),
                (_, null) => new StarCraftSource(settings, game.Address!, client, kept: kept?[0]),
                _ => new ProxySource(settings, game.Address!, bots, client),
            };
        }

        var started = game.Launch ?? throw new CommandException(
            "--attach takes one game, and two sides that clients play take two: leave it out, and they are started");

        // Each side is a client of a game process of its own, as the game wants it.
        var shared = new SharedMatch(settings.Sides.Count);
        return new MultiplayerSource([.. settings.Sides.Select((place, side) => Side(place, side))]);

        // Bots of two sides connect to two ports.
        ProxyOptions Bots(int place, int side) => bots! with
        {
            Port = bots!.Port == 0 ? 0 : bots.Port + side,
            Say = line => say($"player {place + 1}: {line}"),
            Listens = address => listens((uint)place + 1, address),
        };

        IGameSource Side(int place, int side)
        {
            var launch = side == 0 ? started : started with { Port = 0 };
            var slot = new PlayerSlot(side, shared);
            return settings.Players[place].Kind == V1.PlayerKind.Api
                ? new ProxySource(settings, launch, Bots(place, side), client, slot)
                : new StarCraftSource(settings, launch, client, slot, kept?[side]);
        }
    }
}
