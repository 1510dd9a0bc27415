namespace Sc2Bridge.Simulator.World;

/// <summary>A computer's attacks: waves that leave, fight, and go back when too little of them is left.</summary>
internal static class Waves
{
    public static void Update(GameWorld world, Player player)
    {
        var strength = Strength(world, player, out var away);
        if (player.AttackOrdered)
        {
            // Back before too much is lost: whoever builds up is the most careful of its army.
            var least = player.Style switch { 0 => 90, 1 => 87, _ => 84 };
            if (away * 100 < player.WaveStrength * least)
            {
                player.AttackOrdered = false;
                player.NextWave = world.Loop + (player.Style == 0 ? 2600 : 1600) + world.Random(800);
                March(world, player, -1);
            }
            else if (world.Loop / 16 % 16 == 0)
            {
                March(world, player, Armies.Objective(world, player));
            }

            return;
        }

        Guard(world, player);
        var enough = player.Style switch { 0 => 230, 1 => 160, _ => 120 };
        var full = player.HalfFoodUsed >= 384;
        if (world.Loop >= player.NextWave && (strength >= enough || full))
        {
            player.AttackOrdered = true;
            player.WaveStrength = strength;
            March(world, player, Armies.Objective(world, player));
        }
    }

    /// <summary>Sends the army at a building, or home.</summary>
    private static void March(GameWorld world, Player player, int objective)
    {
        var (x, y) = objective < 0 ? (0, 0) : (world.Units[objective].X, world.Units[objective].Y);
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (!Marches(ref unit, player) || (objective >= 0 && unit.Errand == Errand.Attacking && unit.Target >= 0))
            {
                continue;
            }

            if (objective < 0)
            {
                Armies.Rally(world, slot);
            }
            else
            {
                Armies.Send(world, slot, x, y, Errand.Attacking);
            }
        }
    }

    /// <summary>Calls the army to a base where an enemy is.</summary>
    private static void Guard(GameWorld world, Player player)
    {
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var enemy = ref world.Units[slot];
            if (!enemy.Alive || enemy.Owner == player.Id || enemy.Owner == GameWorld.NeutralOwner || !enemy.Facts.IsArmy
                || world.BaseOwner[world.Map.NearestBase(enemy.X, enemy.Y)] != player.Id)
            {
                continue;
            }

            var b = world.Map.Bases[world.Map.NearestBase(enemy.X, enemy.Y)];
            if (Geometry.Length(b.X - enemy.X, b.Y - enemy.Y) > 18 * Geometry.Cell)
            {
                continue;
            }

            var (x, y) = (enemy.X, enemy.Y);
            for (var own = 0; own < world.SlotCount; own++)
            {
                ref var unit = ref world.Units[own];
                if (Marches(ref unit, player) && unit.Errand != Errand.Attacking)
                {
                    Armies.Send(world, own, x, y, Errand.Attacking);
                }
            }

            return;
        }
    }

    private static bool Marches(ref Unit unit, Player player) =>
        unit.Alive && unit.Owner == player.Id && unit.Facts.IsArmy && unit.Facts.Id != 126;

    private static int Strength(GameWorld world, Player player, out int away)
    {
        var all = 0;
        away = 0;
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (Marches(ref unit, player))
            {
                all += unit.Facts.HalfFood;
                away += unit.Errand == Errand.Attacking ? unit.Facts.HalfFood : 0;
            }
        }

        return all;
    }
}
