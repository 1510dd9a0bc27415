using Sc2Bridge.Simulator.Computers;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.Computers;

/// <summary>Matches of computers without observers: only the world and the computers' decisions.</summary>
internal static class ComputerMatch
{
    /// <summary>A computer of a race.</summary>
    public static PlayerSpec Player(Race race, Difficulty difficulty = Difficulty.VeryHard) =>
        new(PlayerType.Computer, race, difficulty, AIBuild.RandomBuild, "");

    /// <summary>A player that does nothing.</summary>
    public static PlayerSpec Nobody(Race race) =>
        new(PlayerType.Participant, race, Difficulty.VeryEasy, AIBuild.RandomBuild, "");

    /// <summary>Plays until a result or the loop <paramref name="loops"/>. Returns the world in its last state.</summary>
    /// <param name="first">The first player.</param>
    /// <param name="second">The second player.</param>
    /// <param name="seed">The match's seed.</param>
    /// <param name="loops">The last loop.</param>
    /// <param name="after">Called after each loop.</param>
    public static GameWorld Play(
        PlayerSpec first, PlayerSpec second, uint seed, int loops, System.Action<GameWorld>? after = null)
    {
        var world = new GameWorld(GameMap.Find(Game.Map)!, [first, second], seed);
        var computers = Computer.Of(world);
        while (world.Loop < loops && !world.Ended)
        {
            Array.ForEach(computers, computer => computer.Think());
            world.Step();
            after?.Invoke(world);
        }

        return world;
    }

    /// <summary>The player who is ahead, by the result or else by the resources spent and not lost.</summary>
    /// <returns>1 or 2; 0 for neither.</returns>
    public static int Ahead(GameWorld world)
    {
        var (one, two) = (world.PlayerOf(1), world.PlayerOf(2));
        return one.Result == Result.Victory ? 1
            : two.Result == Result.Victory ? 2
            : Worth(one).CompareTo(Worth(two)) switch { > 0 => 1, < 0 => 2, _ => 0 };
    }

    private static long Worth(Player player) =>
        player.Score.SpentMinerals + player.Score.SpentVespene - player.Score.Lost.Total;
}
