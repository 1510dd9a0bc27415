namespace Sc2Bridge.Simulator.World;

/// <summary>Where an army stands, goes and goes back to.</summary>
internal static class Armies
{
    /// <summary>Sends a unit to its player's foremost base, each to a place of its own there.</summary>
    public static void Rally(GameWorld world, int slot)
    {
        ref var unit = ref world.Units[slot];
        var b = world.Map.Bases[FrontBase(world, world.Players[unit.Owner - 1])];
        var towardsX = (world.Map.Width * Geometry.Cell / 2) - b.X;
        var towardsY = (world.Map.Height * Geometry.Cell / 2) - b.Y;
        var length = Math.Max(1, Geometry.Length(towardsX, towardsY));
        var x = b.X + (int)(8L * Geometry.Cell * towardsX / length);
        var y = b.Y + (int)(8L * Geometry.Cell * towardsY / length);
        Send(world, slot, x, y, Errand.Moving);
    }

    /// <summary>Sends a unit near a place: a square of 13 cells, so that an army does not stand on one point.</summary>
    public static void Send(GameWorld world, int slot, int x, int y, Errand how)
    {
        ref var unit = ref world.Units[slot];
        var place = slot * 37 % 169;
        unit.Errand = how;
        unit.Target = -1;
        unit.GoalX = x + (((place % 13) - 6) * Geometry.Cell * 3 / 4);
        unit.GoalY = y + (((place / 13) - 6) * Geometry.Cell * 3 / 4);
    }

    /// <summary>The player's base nearest to the enemy's, along the ground.</summary>
    public static int FrontBase(GameWorld world, Player player)
    {
        var enemy = world.Players.First(p => p.Id != player.Id || world.Players.Length == 1).StartBase;
        var best = player.StartBase;
        var bestWay = int.MaxValue;
        for (var i = 0; i < world.BaseOwner.Length; i++)
        {
            var b = world.Map.Bases[i];
            var way = world.Map.DistanceToBase(enemy, world.Map.CellAt(b.X, b.Y));
            if (world.BaseOwner[i] == player.Id && way < bestWay)
            {
                (best, bestWay) = (i, way);
            }
        }

        return best;
    }

    /// <summary>
    /// The enemy building that the army goes for: the town hall nearest to its own front, else any building.
    /// </summary>
    /// <returns>Its slot, or -1.</returns>
    public static int Objective(GameWorld world, Player player)
    {
        var front = FrontBase(world, player);
        var best = -1;
        var bestWay = long.MaxValue;
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (!unit.Alive || unit.Owner == player.Id || unit.Owner == GameWorld.NeutralOwner
                || !unit.Facts.Is(Kind.Structure)
                || unit.Facts.Id == Creep.TumorId)
            {
                continue;
            }

            long way = world.Map.DistanceToBase(front, world.Map.CellAt(unit.X, unit.Y));
            way += unit.Facts.Is(Kind.TownHall) ? 0 : 1 << 20;
            if (way < bestWay)
            {
                (best, bestWay) = (slot, way);
            }
        }

        return best;
    }
}
