// What is not written yet, class by class: whoever writes one deletes it here.
#pragma warning disable SA1402, CA1822, CA1801, IDE0060
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
