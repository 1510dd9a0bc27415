using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Puts a scenario's units on its map when the game begins.</summary>
internal static class ScenarioSetup
{
    // The number of attempts to find a random position with enough room.
    private const int Tries = 10;

    /// <summary>Gives every player the units and settings of the scenario's file.</summary>
    public static void Populate(GameWorld world, Scenario scenario)
    {
        Put(world, GameWorld.Neutral, scenario.Neutral);
        foreach (var player in world.Players)
        {
            var setup = scenario.Players[player.Id - 1];
            player.Upgrades.UnionWith(setup.Upgrades);
            player.Passive = setup.Passive;
            player.Camera = (world.Map.Bases[player.StartBase].X, world.Map.Bases[player.StartBase].Y);
            if (scenario.Positions.Count > 0)
            {
                continue;
            }

            Put(world, player.Id, setup.Units);
            if (setup.Mirror)
            {
                Mirror(world, player.Id);
            }
        }

        if (scenario.Positions.Count > 0)
        {
            PutAtDrawnPlaces(world, scenario);
        }
    }

    /// <summary>Gives a player the mirror image of the first player's units.</summary>
    public static void Mirror(GameWorld world, int owner)
    {
        foreach (var model in world.Units.Where(u => u.Owner == 1).ToArray())
        {
            Placing.Put(world, model.Type, owner, MirrorOf(world.Map.Width, model.X), model.Y, 1);
        }
    }

    /// <summary>The mirror image of a coordinate at the map's vertical center line.</summary>
    /// <param name="width">The map's width in cells.</param>
    /// <param name="x">The coordinate in 1/4096 of a cell.</param>
    public static int MirrorOf(int width, int x) => (width * Geometry.Cell) - x;

    /// <summary>Puts a unit at a random position within the bounds, in 1/4096 of a cell.</summary>
    public static void PutWithin(GameWorld world, UnitType type, int owner, (int From, int To) x, (int From, int To) y)
    {
        for (var left = Tries; left > 0; left--)
        {
            if (Placing.Put(
                world, type, owner, x.From + world.Random(x.To - x.From), y.From + world.Random(y.To - y.From), 1) > 0)
            {
                return;
            }
        }
    }

    private static void Put(GameWorld world, int owner, IReadOnlyList<UnitGroup> groups)
    {
        foreach (var group in groups)
        {
            if (group.Spread == 0 && group.Types.Count == 1)
            {
                Placing.Put(world, group.Types[0].Type, owner, group.At.X, group.At.Y, group.Count);
                continue;
            }

            foreach (var type in DrawTeam(world, group))
            {
                PutWithin(world, type, owner, Around(group.At.X, group.Spread), Around(group.At.Y, group.Spread));
            }
        }
    }

    private static (int From, int To) Around(int at, int spread) => (at - spread, at + spread + 1);

    private static void PutAtDrawnPlaces(GameWorld world, Scenario scenario)
    {
        UnitType[] own = [.. scenario.Players[0].Units.SelectMany(group => DrawTeam(world, group))];
        UnitType[] others = [.. scenario.Players[1].Units.SelectMany(group => DrawTeam(world, group))];
        if (Draw(world, scenario.Positions) == Positions.Reflect)
        {
            ScenarioPositions.Reflect(world, own, others);
        }
        else
        {
            ScenarioPositions.Surround(world, own, [.. own, .. others]);
        }
    }

    // Draws again until at least one unit is of a type that may be alone.
    private static UnitType[] DrawTeam(GameWorld world, UnitGroup group)
    {
        UnitType[] drawn;
        do
        {
            drawn = [.. Enumerable.Range(0, group.Count).Select(_ => Draw(world, group.Types))];
        }
        while (drawn.All(group.Except.Contains));

        return drawn;
    }

    private static T Draw<T>(GameWorld world, IReadOnlyList<(T Item, int Weight)> choices)
    {
        var drawn = world.Random(choices.Sum(choice => choice.Weight));
        return choices.First(choice => (drawn -= choice.Weight) < 0).Item;
    }
}
