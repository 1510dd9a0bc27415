using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>Puts the players' units and the neutral objects on the map when a game begins.</summary>
internal static class WorldSetup
{
    private const int Workers = 12;
    private const int FirstMinerals = 50;

    /// <summary>The worker of a race.</summary>
    public static UnitType WorkerOf(Race race) =>
        TechTree.Unit(race switch { Race.Terran => UnitId.SCV, Race.Zerg => UnitId.Drone, _ => UnitId.Probe });

    /// <summary>The first town hall of a race.</summary>
    public static UnitType TownHallOf(Race race) =>
        TechTree.Unit(race switch { Race.Terran => UnitId.CommandCenter, Race.Zerg => UnitId.Hatchery, _ => UnitId.Nexus });

    /// <summary>Creates the players at start locations that are drawn from the seed.</summary>
    public static Player[] MakePlayers(GameWorld world, IReadOnlyList<PlayerSpec> specs)
    {
        var starts = world.Map.Starts.ToList();
        var players = new Player[specs.Count];
        for (var i = 0; i < specs.Count; i++)
        {
            // A scenario assigns the start locations.
            var start = world.Map.Scenario is null ? world.Random(starts.Count) : 0;
            var race = specs[i].Race is Race.Terran or Race.Zerg or Race.Protoss ? specs[i].Race
                : (Race)(1 + world.Random(3));
            players[i] = new Player
            {
                Id = i + 1,
                Spec = specs[i],
                Race = race,
                StartBase = starts[start],
                Minerals = world.Map.Melee ? FirstMinerals : 0,
            };
            starts.RemoveAt(start);
        }

        return players;
    }

    /// <summary>Puts all units on the map.</summary>
    public static void Populate(GameWorld world)
    {
        foreach (var neutral in world.Map.Neutrals)
        {
            var unit = world.Add(TechTree.Unit(neutral.TypeId), GameWorld.Neutral, neutral.X, neutral.Y);
            unit.Contents = neutral.Contents;
        }

        if (world.Map.Scenario is { } scenario)
        {
            ScenarioSetup.Populate(world, scenario);
            return;
        }

        foreach (var player in world.Map.Melee ? world.Players : [])
        {
            var start = world.Map.Bases[player.StartBase];
            var hall = world.Add(TownHallOf(player.Race), player.Id, start.X, start.Y);
            hall.Facing = Geometry.Turn * 5 / 8;
            PutWorkers(world, player, start, hall);
            if (player.Race == Race.Zerg)
            {
                world.Add(TechTree.Unit(UnitId.Overlord), player.Id, start.X + (4 * Geometry.Cell), start.Y);
                Larvae.Begin(world, hall);
                Larvae.Begin(world, hall);
                Larvae.Begin(world, hall);
            }
        }
    }

    /// <summary>The mineral fields of a player's start location.</summary>
    public static Unit[] FieldsOf(GameWorld world, Player player)
    {
        var minerals = world.Map.Bases[player.StartBase].Minerals;
        return [.. world.Units.Where(u => minerals.Any(m => m.X == u.X && m.Y == u.Y))];
    }

    /// <summary>The field that is nearest to the center of all fields.</summary>
    public static Unit MiddleOf(Unit[] fields)
    {
        var (x, y) = CentreOf(fields);
        return fields.MinBy(f => Geometry.Length(f.X - x, f.Y - y))!;
    }

    private static (int X, int Y) CentreOf(Unit[] fields) =>
        ((int)fields.Average(f => (decimal)f.X), (int)fields.Average(f => (decimal)f.Y));

    // As in the game at loop 0: workers are side by side, three cells from the town hall towards the fields. All go to the
    // field in the middle (see Harvesters.Spread), which is also the rally point. The player's camera is on the workers.
    private static void PutWorkers(GameWorld world, Player player, MapBase start, Unit hall)
    {
        var fields = FieldsOf(world, player);
        var (middleX, middleY) = CentreOf(fields);
        var around = from x in Enumerable.Range(-3, 7)
                     from y in Enumerable.Range(-3, 7)
                     where Math.Max(Math.Abs(x), Math.Abs(y)) == 3
                     let place = (X: start.X + (x * Geometry.Cell), Y: start.Y + (y * Geometry.Cell))
                     orderby Geometry.Length(place.X - middleX, place.Y - middleY)
                     select place;
        var type = WorkerOf(player.Race);
        var gather = AbilityKinds.Find(type, AbilityKind.Gather)!;
        var rally = MiddleOf(fields);
        hall.Rallies.Add(new Rally(rally.X, rally.Y, rally, ForWorkers: true));
        (int X, int Y)[] places = [.. around.Take(Workers)];
        player.Camera = (places.Sum(p => p.X) / Workers, places.Sum(p => p.Y) / Workers);
        foreach (var (x, y) in places)
        {
            var worker = world.Add(type, player.Id, x, y);
            worker.Facing = world.Random(Geometry.Turn);
            worker.Orders.Add(new Order(gather) { Target = rally });
        }
    }
}
