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
    public const int Scan = 6;

    public const int ScanRadius = 13;

    public static void Update(GameWorld world)
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
