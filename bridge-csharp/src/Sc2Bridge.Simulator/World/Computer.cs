namespace Sc2Bridge.Simulator.World;

/// <summary>A built-in computer player. So far it trains workers only.</summary>
internal static class Computer
{
    public static void Update(GameWorld world, Player player)
    {
        // Workers only: one at a time from every town hall, as far as supply goes.
        if (world.Loop % 16 != player.Id)
        {
            return;
        }

        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (unit.Alive && unit.Owner == player.Id && unit.Finished && unit.Product < 0
                && (unit.Facts.Is(Kind.TownHall) && player.Race != SC2APIProtocol.Race.Zerg || unit.Facts.Id == Production.LarvaId))
            {
                Production.Train(world, slot, WorldSetup.WorkerOf(player.Race));
            }
        }
    }
}
