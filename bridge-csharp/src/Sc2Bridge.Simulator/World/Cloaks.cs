using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Who cannot be seen without a detector.</summary>
internal static class Cloaks
{
    // Dark templar, observer, creep tumour, widow mine in the ground.
    private static readonly int[] Always = [76, 82, UnitId.OracleStasisTrap, 1911, 500];

    private static readonly bool[] ByType = [.. TechTree.Units.Select(u => Always.Contains(u.Id) || Burrowed(u))];

    /// <summary>Whether a type is one that sits in the ground.</summary>
    public static bool Burrowed(UnitType type) => type.Name.Contains("Burrowed", StringComparison.Ordinal);

    /// <summary>Whether a unit is cloaked, by itself or by a neighbour.</summary>
    public static bool On(Unit unit) => !Buffs.Has(unit, BuffId.RavenScramblerMissile) && ((ByType[unit.Type.Index] && unit.Finished)
        || (unit.Buffs.Count > 0 && (Buffs.Has(unit, BuffId.GhostCloak) || Buffs.Has(unit, BuffId.BansheeCloak)
            || Buffs.Has(unit, BuffId.CloakFieldEffect))));
}
