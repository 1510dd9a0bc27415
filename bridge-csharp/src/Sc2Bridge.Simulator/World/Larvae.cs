using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Creates larvae, by themselves and after a queen's injection. Larvae die with their hatchery.</summary>
internal static class Larvae
{
    // A hatchery makes up to 3 larvae by itself, and has at most 19. At "faster" speed, the periods are 11 and 29 seconds.
    private const int Own = 3;
    private const int Most = 19;
    private const int OwnLoops = 246;
    private const int InjectLoops = 650;
    private const int Injected = 3;

    public static void Update(GameWorld world)
    {
        List<Unit>? halls = null;
        foreach (var unit in world.Units)
        {
            if (unit.Type.Race == Race.Zerg && unit.Alive)
            {
                Count(world, unit, ref halls);
            }
        }

        halls?.ForEach(hall => Update(world, hall));
    }

    /// <summary>Gives a new hatchery its first larva.</summary>
    public static void Begin(GameWorld world, Unit hatchery)
    {
        Spawn(world, hatchery);
        hatchery.LarvaLeft = Pause(world, hatchery);
    }

    // The debug command for fast building makes larvae faster by the same factor as everything else. That factor is an
    // assumption. One fact is known: cpp-sc2 71510f6, tests/test_unit_command.cc:1566, TestTrainRoach, expects three larvae
    // 150 loops after a hatchery that has one at first, although one becomes a roach. So larvae are made at least about
    // five times as fast. The test passed on the game: Blizzard/s2client-api, issue 19, reports another one of these tests as
    // the only one that failed.
    private static int Pause(GameWorld world, Unit hatchery) =>
        Prices.LoopsFor(world.PlayerOf(hatchery.Owner), OwnLoops);

    private static void Spawn(GameWorld world, Unit hatchery)
    {
        var toX = hatchery.X + (((hatchery.Larvae % Own) - 1) * Geometry.Cell);
        var (x, y) = Spots.Beside(world, hatchery, toX, hatchery.Y - (4 * Geometry.Cell));
        world.Add(TechTree.Unit(UnitId.Larva), hatchery.Owner, x, y).Home = hatchery;
        hatchery.Larvae++;
    }

    /// <summary>A queen injects a hatchery. Its three larvae appear after the larvae of all earlier injections.</summary>
    public static void Inject(GameWorld world, Unit hatchery)
    {
        hatchery.InjectLeft += InjectLoops;
        Buffs.Drop(hatchery, BuffId.QueenSpawnLarvaTimer);
        Buffs.Put(hatchery, BuffId.QueenSpawnLarvaTimer, world.Loop + hatchery.InjectLeft);
    }

    private static void Count(GameWorld world, Unit unit, ref List<Unit>? halls)
    {
        if (unit.Type.Is(Kind.TownHall))
        {
            unit.Larvae = 0;
            (halls ??= []).Add(unit);
        }
        else if (unit.Type.Id == UnitId.Larva && unit.Home is { } home)
        {
            // A hatchery is older than its larvae, so its count has already been reset to 0.
            home.Larvae++;
            if (!home.Alive)
            {
                world.Remove(unit, died: true);
            }
        }
    }

    private static void Update(GameWorld world, Unit hatchery)
    {
        if (!hatchery.Finished)
        {
            return;
        }

        if (hatchery.Larvae >= Own)
        {
            hatchery.LarvaLeft = Pause(world, hatchery);
        }
        else if (--hatchery.LarvaLeft <= 0)
        {
            hatchery.LarvaLeft = Pause(world, hatchery);
            Spawn(world, hatchery);
        }

        if (hatchery.InjectLeft > 0 && --hatchery.InjectLeft % InjectLoops == 0)
        {
            for (var i = 0; i < Injected && hatchery.Larvae < Most; i++)
            {
                Spawn(world, hatchery);
            }

            world.EventsOf(hatchery.Owner).Raise(Alert.LarvaHatched);
        }
    }
}
