using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.World;

/// <summary>A small world for tests of units: flat, except for a plateau with one ramp; two town halls, no workers.</summary>
internal sealed class Arena
{
    public const int AttackAbility = 23;
    public const int MoveAbility = 16;
    public const int Cell = Geometry.Cell;

    private static readonly GameMap _map = new Terrain(new MapSketch(
        "Arena", 96, 96, new CellArea(6, 6, 90, 90), 2, ResourceTypes.Usual,
        [new(Surface.Middle, 56, 10, 82, 36, 8)],
        [new(65, 27, -1, 1, 3)],
        [new(16, 16, -1, -1)],
        [])).Make();

    public Arena(uint seed = 1, Race first = Race.Terran, Race second = Race.Zerg, GameMap? map = null)
    {
        World = new GameWorld(
            map ?? _map,
            [
                new PlayerSpec(PlayerType.Participant, first, Difficulty.Easy, AIBuild.RandomBuild, ""),
                new PlayerSpec(PlayerType.Participant, second, Difficulty.Easy, AIBuild.RandomBuild, ""),
            ],
            seed);
        foreach (var unit in World.Units.Where(u => u.Owner != GameWorld.Neutral && !u.Type.Is(Kind.Structure)))
        {
            World.Remove(unit, died: false);
        }

        World.Step();
    }

    public GameWorld World { get; }

    public static int Cells(double cells) => (int)(cells * Cell);

    public Unit Add(int type, int owner, double x, double y) =>
        World.Add(TechTree.Unit(type), owner, Cells(x), Cells(y));

    public Unit[] AddMany(int type, int owner, int count, double x, double y) =>
        [.. Enumerable.Range(0, count).Select(i => Add(type, owner, x + (i % 8 * 0.8), y + (i / 8 * 0.8)))];

    public static void Tell(Unit unit, int ability, double x, double y) =>
        unit.Orders.Add(new Order(TechTree.Ability(ability)) { HasPoint = true, X = Cells(x), Y = Cells(y) });

    public static void Tell(Unit unit, int ability, Unit? target = null) =>
        unit.Orders.Add(new Order(TechTree.Ability(ability)) { Target = target });

    public void Run(int loops, System.Action? after = null)
    {
        for (var i = 0; i < loops; i++)
        {
            World.Step();
            after?.Invoke();
        }
    }

    /// <summary>Runs until a condition is true. Returns the number of loops, or -1.</summary>
    public int RunUntil(Func<bool> holds, int atMost)
    {
        for (var i = 1; i <= atMost; i++)
        {
            World.Step();
            if (holds())
            {
                return i;
            }
        }

        return -1;
    }

    public bool OnGround(Unit unit) => unit.Flying || World.Ground.WalkableAt(unit.X, unit.Y);

    public static double Distance(Unit unit, double x, double y) =>
        Geometry.Length(unit.X - Cells(x), unit.Y - Cells(y)) / (double)Cell;

    /// <summary>A hash of all units in the world.</summary>
    public long Fingerprint()
    {
        long sum = World.Loop;
        foreach (var unit in World.Units)
        {
            long[] parts =
            [
                (long)unit.Tag, unit.Type.Id, unit.X, unit.Y, unit.Health, unit.Shield, unit.Energy, unit.Facing,
                unit.WeaponLeft, unit.SeenBy,
            ];
            sum = parts.Aggregate(sum, (before, part) => (before * 1000003) ^ part);
        }

        return sum;
    }
}
