using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>Puts resources on the map, and a town hall and twelve workers on each start.</summary>
internal static class WorldSetup
{
    public static UnitFacts WorkerOf(Race race) =>
        UnitTable.Of(race switch { Race.Terran => 45, Race.Zerg => 104, _ => 84 });

    public static UnitFacts TownHallOf(Race race) =>
        UnitTable.Of(race switch { Race.Terran => 18, Race.Zerg => 86, _ => 59 });

    public static void Populate(GameWorld world)
    {
        foreach (var b in world.Map.Bases)
        {
            for (var i = 0; i < b.Minerals.Length; i++)
            {
                // Near fields hold 900, far ones 1,800.
                var slot = world.Add(
                    UnitTable.Of(i % 2 == 0 ? 341 : 483), GameWorld.NeutralOwner, b.Minerals[i].X, b.Minerals[i].Y);
                world.Units[slot].Contents = i % 2 == 0 ? 1800 : 900;
            }

            foreach (var (x, y) in b.Geysers)
            {
                world.Units[world.Add(UnitTable.Of(342), GameWorld.NeutralOwner, x, y)].Contents = 2250;
            }
        }

        foreach (var (x, y) in world.Map.Debris)
        {
            world.Add(UnitTable.Of(365), GameWorld.NeutralOwner, x, y);
        }

        foreach (var player in world.Players)
        {
            var start = world.Map.Bases[player.StartBase];
            world.Add(TownHallOf(player.Race), player.Id, start.X, start.Y);
            world.BaseOwner[player.StartBase] = player.Id;
            for (var i = 0; i < 12; i++)
            {
                var field = start.Minerals[i % start.Minerals.Length];
                var x = start.X + ((field.X - start.X) / 2) + ((i / 8) * Geometry.Cell);
                var y = start.Y + ((field.Y - start.Y) / 2);
                world.Add(WorkerOf(player.Race), player.Id, x, y);
            }

            if (player.Race == Race.Zerg)
            {
                world.Add(UnitTable.Of(106), player.Id, start.X + (3 * Geometry.Cell), start.Y);
                for (var i = 0; i < 3; i++)
                {
                    world.Add(UnitTable.Of(151), player.Id, start.X + ((i - 1) * Geometry.Cell),
                        start.Y - (3 * Geometry.Cell));
                }
            }
        }
    }
}
