using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Puts the players and what nobody owns on the map, as a game begins.</summary>
internal static class WorldSetup
{
    private const int Workers = 12;

    /// <summary>The worker of a race.</summary>
    public static UnitType WorkerOf(Race race) => TechTree.Unit(race switch { Race.Terran => 45, Race.Zerg => 104, _ => 84 });

    /// <summary>The first town hall of a race.</summary>
    public static UnitType TownHallOf(Race race) => TechTree.Unit(race switch { Race.Terran => 18, Race.Zerg => 86, _ => 59 });

    /// <summary>The players on their starts, drawn from the seed.</summary>
    public static Player[] MakePlayers(GameWorld world, IReadOnlyList<PlayerSpec> specs)
    {
        var starts = world.Map.Starts.ToList();
        var players = new Player[specs.Count];
        for (var i = 0; i < specs.Count; i++)
        {
            var start = world.Random(starts.Count);
            var race = specs[i].Race is Race.Terran or Race.Zerg or Race.Protoss ? specs[i].Race : (Race)(1 + world.Random(3));
            players[i] = new Player { Id = i + 1, Spec = specs[i], Race = race, StartBase = starts[start] };
            starts.RemoveAt(start);
        }

        return players;
    }

    /// <summary>Fills the map.</summary>
    public static void Populate(GameWorld world)
    {
        foreach (var neutral in world.Map.Neutrals)
        {
            world.Add(TechTree.Unit(neutral.TypeId), GameWorld.Neutral, neutral.X, neutral.Y).Contents = neutral.Contents;
        }

        foreach (var player in world.Players)
        {
            var start = world.Map.Bases[player.StartBase];
            var hall = world.Add(TownHallOf(player.Race), player.Id, start.X, start.Y);
            for (var i = 0; i < Workers; i++)
            {
                var field = start.Minerals[i % start.Minerals.Length];
                var x = start.X + ((field.X - start.X) / 2) + ((i / 8) * Geometry.Cell / 2);
                var y = start.Y + ((field.Y - start.Y) / 2);
                world.Add(WorkerOf(player.Race), player.Id, x, y);
            }

            if (player.Race == Race.Zerg)
            {
                world.Add(TechTree.Unit(106), player.Id, start.X + (4 * Geometry.Cell), start.Y);
                for (var i = 0; i < 3; i++)
                {
                    var larva = world.Add(
                        TechTree.Unit(151), player.Id, start.X + ((i - 1) * Geometry.Cell), start.Y - (3 * Geometry.Cell));
                    larva.Home = hall;
                }
            }
        }
    }
}
