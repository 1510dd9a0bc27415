using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Maps;
using PlayerSpec = Sc2Bridge.Simulator.World.PlayerSpec;

namespace Sc2Bridge.Simulator.Tests.World;

/// <summary>A world of two players for tests, and short ways to command and read the first.</summary>
internal sealed class TestWorld
{
    public TestWorld(Race race, uint seed = 1)
    {
        PlayerSpec Spec(Race r) => new(PlayerType.Participant, r, Difficulty.VeryEasy, AIBuild.RandomBuild, "");
        World = new GameWorld(GameMap.Find(Game.Map)!, [Spec(race), Spec(Race.Terran)], seed);
    }

    public GameWorld World { get; }

    public Player Player => World.Players[0];

    public MapBase Start => World.Map.Bases[Player.StartBase];

    public Unit Hall => First(u => u.Type.Is(Kind.TownHall));

    public Unit Worker => First(u => u.Type.Is(Kind.Worker) && u.Carrier is null);

    public Unit First(Predicate<Unit> which) => World.Units.First(u => u.Alive && u.Owner == Player.Id && which(u));

    public Unit First(int type) => First(u => u.Type.Id == type);

    public int Count(int type) => World.Units.Count(u => u.Alive && u.Owner == Player.Id && u.Type.Id == type);

    public TestWorld Rich(int minerals = 5000, int vespene = 5000)
    {
        (Player.Minerals, Player.Vespene) = (minerals, vespene);
        return this;
    }

    public void Step(int loops)
    {
        for (var i = 0; i < loops; i++)
        {
            World.Step();
        }
    }

    public bool StepUntil(Func<bool> done, int most)
    {
        for (var i = 0; i < most && !done(); i++)
        {
            World.Step();
        }

        return done();
    }

    public ActionResult Order(Unit unit, int ability, CommandTarget target = default, bool queued = false) =>
        Commander.Order(World, Player, unit, TechTree.Ability(ability), target, queued);

    /// <summary>Creates a finished building near the start, at a place where it fits.</summary>
    public Unit Put(int type)
    {
        var what = TechTree.Unit(type);
        var (x, y) = Site(what.MadeBy!.Id);
        var unit = World.Add(what, Player.Id, x, y);
        Step(8);
        return unit;
    }

    /// <summary>The first place around the start at which a building can be started.</summary>
    public (int X, int Y) Site(int ability)
    {
        for (var ring = 4; ring < 30; ring++)
        {
            for (var i = -ring; i <= ring; i++)
            {
                foreach (var (dx, dy) in new[] { (i, -ring), (i, ring), (-ring, i), (ring, i) })
                {
                    var (x, y) = (Start.X + (dx * Geometry.Cell), Start.Y + (dy * Geometry.Cell));
                    if (Fits(ability, x, y) && Fits(ability, x + (3 * Geometry.Cell), y))
                    {
                        return Sites.Snap(TechTree.Unit(TechTree.Ability(ability).Product), x, y);
                    }
                }
            }
        }

        throw new InvalidOperationException($"Nothing fits ability {ability} near the start.");
    }

    public ActionResult Query(int ability, int x, int y) =>
        Placement.Query(World, Player, TechTree.Ability(ability), x, y, null);

    private bool Fits(int ability, int x, int y) => Query(ability, x, y) == ActionResult.Success;
}
