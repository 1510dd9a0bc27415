using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Units find enemies, chase them and shoot.</summary>
internal static class Combat
{
    // Units look for enemies at least five cells around, even if their range is shorter.
    private const int NoticeRange = 5 * Geometry.Cell;

    // A unit chases its current target farther than that.
    private const int ChaseRange = 12 * Geometry.Cell;


    /// <summary>Lets a unit without orders fight enemies near it.</summary>
    public static void Idle(GameWorld world, Unit unit)
    {
        if (unit.Type.CargoSpace > 0 && unit.Passengers.Count > 0)
        {
            Transport.FireOut(world, unit);
        }

        if (unit.Type.Energy > 0)
        {
            Healing.Idle(world, unit);
        }

        if (unit.Autocast.Count > 0)
        {
            Repairs.Idle(world, unit);
        }

        // Workers fight only on command.
        if (Arms.Armed(unit.Type) && !unit.Type.Is(Kind.Worker) && !world.PlayerOf(unit.Owner).Passive)
        {
            Fight(world, unit, mayChase: true);
        }
    }

    /// <summary>Fights an enemy that is near, for one loop.</summary>
    /// <param name="world">The world.</param>
    /// <param name="unit">The unit that fights.</param>
    /// <param name="mayChase">Whether it may move towards the enemy.</param>
    /// <returns>Whether it found an enemy. If so, it does nothing else in this loop.</returns>
    public static bool Fight(GameWorld world, Unit unit, bool mayChase)
    {
        if (unit.Type.Is(Kind.NeedsPower) && !unit.Powered)
        {
            return false;
        }

        mayChase &= unit.Type.Speed > 0;
        var target = unit.Engaged;
        var lost = target is not null && !CanFight(unit, target);
        if (lost || unit.IsDue(world.Loop))
        {
            var stays = !lost && target is not null && InRange(world, unit, target) && Arms.RankFor(target.Type) == 2;
            var held = !lost && mayChase && target is not null && Within(unit, target, ChaseRange) ? target : null;
            target = stays ? target : Nearest(world, unit, mayChase) ?? held;
        }

        unit.Engaged = target;
        if (target is null)
        {
            return false;
        }

        if (InRange(world, unit, target))
        {
            Shoot(world, unit, unit, target);
            return true;
        }

        if (mayChase)
        {
            Movement.Towards(world, unit, target, RangeTo(world, unit, target));
        }

        return mayChase;
    }

    /// <summary>Moves towards a unit and shoots it.</summary>
    public static void Pursue(GameWorld world, Unit unit, Unit target)
    {
        unit.Engaged = target;
        if (InRange(world, unit, target))
        {
            Shoot(world, unit, unit, target);
        }
        else
        {
            Movement.Towards(world, unit, target, RangeTo(world, unit, target));
        }
    }

    /// <summary>Whether a unit can fight another: the target is visible and in the world, and a weapon can hit its type.</summary>
    public static bool CanFight(Unit unit, Unit target) =>
        target.Alive && target.Present && target.Type.Health > 0 && Sees(unit.Owner, target)
        && Arms.Against(unit.Type, target.Type) is not null
        && (unit.Type.Id != UnitId.Oracle || Buffs.Has(unit, BuffId.OracleWeapon))
        && !Buffs.Has(unit, BuffId.RavenScramblerMissile)
        && (unit.Zone is not { } zone || Geometry.Length(target.X - zone.X, target.Y - zone.Y)
            <= EffectsOnGround.RadiusOf(EffectId.LiberatorDefenderZone));

    /// <summary>Whether a player sees a unit. A cloaked unit needs a detector.</summary>
    public static bool Sees(int player, Unit target) => target.Owner == player || target.IsKnownTo(player);

    /// <summary>Whether a target's edge is in range of the weapon that hits it.</summary>
    public static bool InRange(GameWorld world, Unit unit, Unit target) =>
        Within(unit, target, RangeTo(world, unit, target) + (Geometry.Cell / 64));

    /// <summary>Whether the distance between two units' edges is at most a range.</summary>
    public static bool Within(Unit one, Unit other, int range)
    {
        long dx = one.X - other.X;
        long dy = one.Y - other.Y;
        long reach = range + one.Type.Radius + other.Type.Radius;
        return (dx * dx) + (dy * dy) <= reach * reach;
    }

    /// <summary>The enemy in reach with the highest rank, or null. Of several, the nearest one.</summary>
    /// <param name="world">The world.</param>
    /// <param name="unit">The unit that looks for an enemy.</param>
    /// <param name="mayChase">Whether enemies out of range count.</param>
    /// <param name="from">The transport or bunker that the unit is in, if it is in one.</param>
    /// <param name="bonus">Additional range.</param>
    public static Unit? Nearest(GameWorld world, Unit unit, bool mayChase, Unit? from = null, int bonus = 0)
    {
        from ??= unit;
        var range = Arms.RangeOf(unit.Type) + Upgrades.Range(world.PlayerOf(unit.Owner), unit.Type) + bonus;
        var reach = (mayChase ? Math.Max(range, NoticeRange) : range) + from.Type.Radius;

        // The search finds units by their centers: add the largest radius.
        var square = reach + (3 * Geometry.Cell);
        if (!world.Bins.AnyOther(from.X, from.Y, square, unit.Owner))
        {
            return null;
        }

        Unit? best = null;
        var bestRank = 0;
        var bestSquare = long.MaxValue;
        foreach (var other in world.Bins.Near(from.X, from.Y, square))
        {
            if (other.Owner == unit.Owner || other.Owner == GameWorld.Neutral)
            {
                continue;
            }

            long dx = other.X - from.X;
            long dy = other.Y - from.Y;
            var far = (dx * dx) + (dy * dy);
            long most = reach + other.Type.Radius;
            var rank = Arms.RankFor(other.Type);
            if (far > most * most || rank < bestRank || rank == 0 || (rank == bestRank && far >= bestSquare)
                || !CanFight(unit, other) || (!mayChase && from == unit && !InRange(world, unit, other)))
            {
                continue;
            }

            (best, bestRank, bestSquare) = (other, rank, far);
        }

        return best;
    }

    /// <summary>Shoots, if the weapon is ready.</summary>
    /// <param name="world">The world.</param>
    /// <param name="unit">The unit that shoots.</param>
    /// <param name="from">The unit itself, or the transport or bunker that it is in.</param>
    /// <param name="target">The unit that is hit.</param>
    public static void Shoot(GameWorld world, Unit unit, Unit from, Unit target)
    {
        unit.Facing = Geometry.Direction(target.X - from.X, target.Y - from.Y);
        if (unit.WeaponLeft > 0)
        {
            return;
        }

        // The unused part of the last loop carries over, so that the weapon keeps its exact rate.
        var weapon = Arms.Against(unit.Type, target.Type)!;
        var haste = Upgrades.Sum(world.PlayerOf(unit.Owner), unit.Type, Stat.Haste);
        var rate = (100 + haste) * Buffs.WeaponPercent(unit) / 100;
        unit.WeaponLeft = Math.Max(unit.WeaponLeft, -255) + (weapon.Cooldown * 100 / rate);
        if (unit.Type.Splash > 0)
        {
            Splash(world, unit, target, weapon, unit.Type.Splash);
        }
        else
        {
            Hits.Strike(world, unit, target, weapon, 100);
        }

        if (unit.Type.Id == UnitId.BroodLord && !unit.Hallucination)
        {
            Summons.Broodling(world, unit, target);
        }

        if (unit.Type.Is(Kind.Explodes))
        {
            Casualties.Wound(world, unit.Owner, unit, unit.Shield, unit.Health);
        }
    }

    /// <summary>Damages a unit, counts the damage for the score, and removes the unit if it dies.</summary>
    /// <param name="world">The world.</param>
    /// <param name="attacker">A player's id, or <see cref="GameWorld.Neutral"/>.</param>
    /// <param name="target">The unit that is hit.</param>
    /// <param name="points">The damage after armour, in 1/256 of a point. Shields take it first.</param>
    public static void Hurt(GameWorld world, int attacker, Unit target, int points)
    {
        var shield = Math.Min(target.Shield, points);
        Casualties.Wound(world, attacker, target, shield, points - shield);
    }

    private static int RangeTo(GameWorld world, Unit unit, Unit target) =>
        Buffs.Has(unit, BuffId.BlindingCloud) ? Geometry.Cell / 10
            : Arms.Against(unit.Type, target.Type) is { } weapon
                ? weapon.Range + Upgrades.Range(world.PlayerOf(unit.Owner), unit.Type)
                : 0;

    // Full damage in the inner third of the radius, half in the second third, a quarter in the outer third.
    private static void Splash(GameWorld world, Unit unit, Unit target, Weapon weapon, int radius)
    {
        var (x, y) = (target.X, target.Y);
        Hits.Strike(world, unit, target, weapon, 100);
        foreach (var other in world.Bins.Near(x, y, radius + Geometry.Cell))
        {
            var friend = other.Owner == unit.Owner;
            if (other == target || other == unit || other.Owner == GameWorld.Neutral || other.Flying != target.Flying
                || (friend && !unit.Type.Is(Kind.HitsFriends)))
            {
                continue;
            }

            var distance = Geometry.Length(other.X - x, other.Y - y) - other.Type.Radius;
            if (distance <= radius)
            {
                var percent = distance <= radius / 3 ? 100 : distance <= radius * 2 / 3 ? 50 : 25;
                Hits.Strike(world, unit, other, weapon, percent);
            }
        }
    }
}
