// What is not written yet, class by class: whoever writes one deletes it here.
#pragma warning disable SA1402, CA1822, CA1801, IDE0060
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

// Fighting and moving (W1) -----------------------------------------------------------------------------------------

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
