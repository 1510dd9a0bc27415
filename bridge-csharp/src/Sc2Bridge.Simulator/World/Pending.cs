// What is not written yet, class by class: whoever writes one deletes it here.
#pragma warning disable SA1402, CA1822, CA1801, IDE0060
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

// Fighting and moving (W1) -----------------------------------------------------------------------------------------

/// <summary>Which cells buildings and resources take.</summary>
internal sealed class Ground(Maps.GameMap map)
{
    /// <summary>Takes the cells of a standing building or resource.</summary>
    public void Take(Unit unit) => _ = map;

    /// <summary>Gives them back.</summary>
    public void Free(Unit unit) => _ = map;

    /// <summary>Whether a footprint (cells a side, centre in 1/4096) is on placeable, free ground.</summary>
    public bool Fits(int footprint, int x, int y) => true;

    /// <summary>Whether units on the ground can be in a cell now.</summary>
    public bool Walkable(int cell) => map.Pathable[cell];
}

/// <summary>The rest of a unit's way.</summary>
internal sealed class Way
{
}

/// <summary>Moves units.</summary>
internal static class Movement
{
    /// <summary>Goes a loop's way; true when within <paramref name="reach"/> of the place (centre to place).</summary>
    public static bool Towards(GameWorld world, Unit unit, int x, int y, int reach) => true;

    /// <summary>Goes a loop's way; true when the two edges are within <paramref name="range"/>.</summary>
    public static bool Towards(GameWorld world, Unit unit, Unit target, int range) => true;

    /// <summary>Pushes units on the ground apart.</summary>
    public static void Push(GameWorld world)
    {
    }
}

/// <summary>Move, patrol, hold and attack orders.</summary>
internal static class Marching
{
    public static bool Move(GameWorld world, Unit unit, Order order) => true;

    public static bool Patrol(GameWorld world, Unit unit, Order order) => true;

    public static bool Hold(GameWorld world, Unit unit) => true;

    public static bool Attack(GameWorld world, Unit unit, Order order) => true;
}

/// <summary>Weapons.</summary>
internal static class Combat
{
    /// <summary>A unit with nothing to do fights what comes near.</summary>
    public static void Idle(GameWorld world, Unit unit)
    {
    }

    /// <summary>Takes points off a unit (in 1/256, after armour), counts it for the score, and removes it when it dies.</summary>
    public static void Hurt(GameWorld world, int attacker, Unit target, int points)
    {
    }
}

/// <summary>Energy, shields, regeneration, cooldowns, buffs and timed life.</summary>
internal static class Life
{
    public static void Update(GameWorld world)
    {
    }
}

/// <summary>Bunkers, medivacs, prisms, overlords, nydus.</summary>
internal static class Transport
{
    public static bool Load(GameWorld world, Unit unit, Order order) => true;

    public static bool Unload(GameWorld world, Unit unit, Order order) => true;
}

/// <summary>Spells.</summary>
internal static class Casting
{
    public static bool Cast(GameWorld world, Unit unit, Order order) => true;
}

/// <summary>An effect on the ground.</summary>
internal sealed record Effect(int Id, int Owner, int X, int Y, int Until);

/// <summary>What effects do.</summary>
internal static class EffectsOnGround
{
    public static void Update(GameWorld world)
    {
    }
}

/// <summary>What players see and remember.</summary>
internal sealed class Vision(GameWorld world)
{
    /// <summary>A byte a cell: 0 never seen, 1 seen before, 2 in sight; player 0 sees what any player sees.</summary>
    public ReadOnlySpan<byte> Of(int player) => new byte[world.Map.Width * world.Map.Height];

    /// <summary>Whether a player sees a place now; player 0 sees all.</summary>
    public bool Sees(int player, int x, int y) => true;

    /// <summary>Structures and resources that a player saw once and does not see now, as they were then.</summary>
    public IEnumerable<Snapshot> SnapshotsOf(int player) => [];

    public void Update()
    {
    }
}

/// <summary>A building or resource as it was when it was last seen.</summary>
internal readonly record struct Snapshot(Unit Unit, UnitType Type, int X, int Y, bool Gone);

/// <summary>Creep.</summary>
internal sealed class Creep(GameWorld world)
{
    /// <summary>A bit a cell, row by row from below, the first cell in the highest bit.</summary>
    public byte[] Bits { get; } = new byte[((world.Map.Width * world.Map.Height) + 7) / 8];

    public bool At(int x, int y) => true;

    public void Update()
    {
    }
}

/// <summary>Power fields.</summary>
internal sealed class Power
{
    /// <summary>Sources: place, radius, owner.</summary>
    public List<(Unit Source, int Radius)> Sources { get; } = [];

    public bool At(int owner, int x, int y) => true;

    public void Update(GameWorld world)
    {
    }
}

// Economy and making (W2) ------------------------------------------------------------------------------------------

/// <summary>Workers mine.</summary>
internal static class Mining
{
    public static bool Gather(GameWorld world, Unit unit, Order order) => true;

    public static bool Return(GameWorld world, Unit unit, Order order) => true;
}

/// <summary>Workers build and repair.</summary>
internal static class Construction
{
    public static bool Build(GameWorld world, Unit unit, Order order) => true;

    public static bool Repair(GameWorld world, Unit unit, Order order) => true;
}

/// <summary>Units become other types; eggs hatch.</summary>
internal static class Morphs
{
    public static bool Begin(GameWorld world, Unit unit, Order order) => true;

    public static void Update(GameWorld world, Unit unit)
    {
    }
}

/// <summary>Queues of buildings, buildings under construction, warp-ins.</summary>
internal static class Production
{
    public static void Update(GameWorld world)
    {
    }
}

/// <summary>Larvae come.</summary>
internal static class Larvae
{
    public static void Update(GameWorld world)
    {
    }
}
