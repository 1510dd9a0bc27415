using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>The units that can be seen only with a detector.</summary>
internal static class Cloaks
{
    /// <summary>Whether a unit is cloaked, by itself or by another unit.</summary>
    public static bool On(Unit unit) => !Buffs.Has(unit, BuffId.RavenScramblerMissile)
        && ((unit.Type.Is(Kind.Cloaked | Kind.Burrowed) && unit.Finished)
        || (unit.Buffs.Count > 0 && (Buffs.Has(unit, BuffId.GhostCloak) || Buffs.Has(unit, BuffId.BansheeCloak)
            || Buffs.Has(unit, BuffId.CloakFieldEffect))));
}
