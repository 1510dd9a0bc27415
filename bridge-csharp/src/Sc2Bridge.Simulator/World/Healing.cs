using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Medivacs and shield batteries turn energy into life or shields of a unit near them.</summary>
internal static class Healing
{
    private const int SearchRange = 9 * Geometry.Cell;
    private const int Ratio = 3; // points of life or shields for one point of energy

    /// <summary>Whether a unit can heal another.</summary>
    public static bool MayHeal(Unit unit, Unit patient) => Works(unit) && Needs(unit, patient);

    /// <summary>Heals a unit that is near, or goes to it. Returns false if no unit near it needs healing.</summary>
    public static bool Idle(GameWorld world, Unit unit)
    {
        var free = Buffs.Has(unit, BuffId.BatteryOvercharge);
        if (unit.Type.Heals is not { Range: var range } || (unit.Energy < 256 && !free) || !Works(unit))
        {
            return false;
        }

        var patient = unit.Engaged;
        if (patient is null || !Needs(unit, patient))
        {
            var looks = patient is not null || unit.IsDue(world.Loop);
            var reach = unit.Type.Speed > 0 ? SearchRange : range;
            patient = looks ? Fields.Nearest(world, unit.X, unit.Y, reach, u => Needs(unit, u)) : null;
        }

        unit.Engaged = patient;
        if (patient is null)
        {
            return false;
        }

        if (Combat.Within(unit, patient, range))
        {
            Give(world, unit, patient);
        }
        else if (unit.Type.Speed > 0)
        {
            Movement.Towards(world, unit, patient, range);
        }

        return true;
    }

    /// <summary>Heals for one loop.</summary>
    /// <param name="world">The world.</param>
    /// <param name="unit">The unit that heals.</param>
    /// <param name="patient">The unit that is healed.</param>
    /// <returns>Whether the patient needs more, and the healer can go on.</returns>
    public static bool Give(GameWorld world, Unit unit, Unit patient)
    {
        var (shields, step, _) = unit.Type.Heals!;
        var lacking = shields
            ? (patient.Type.Shield * 256) - patient.Shield
            : patient.MostHealth - patient.Health;
        var free = Buffs.Has(unit, BuffId.BatteryOvercharge); // overcharge also doubles the rate
        var given = Math.Min(lacking, free ? 2 * step : Math.Min(step, unit.Energy * Ratio));
        unit.Energy -= free ? 0 : given / Ratio;
        if (shields)
        {
            patient.Shield += given;
        }
        else
        {
            patient.Health += given;
            world.PlayerOf(unit.Owner).Score.HealedLife += given;
        }

        return lacking > given && (free || unit.Energy > Ratio);
    }

    private static bool Works(Unit unit) => !unit.Type.Is(Kind.NeedsPower) || unit.Powered;

    /// <summary>Whether a unit is hurt and of a kind that the other one heals.</summary>
    public static bool Needs(Unit unit, Unit patient) =>
        patient.Alive && patient.Present && patient.Finished && patient.Owner == unit.Owner && patient != unit
        && (unit.Type.Heals!.Shields
            ? patient.Shield < patient.Type.Shield * 256
            : patient.Health < patient.MostHealth && !patient.Flying && !patient.Type.Is(Kind.Structure)
                && patient.Type.Is(SC2APIProtocol.Attribute.Biological));
}
