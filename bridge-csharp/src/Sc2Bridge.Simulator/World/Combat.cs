using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>Units that are no workers move, look for enemies and fight.</summary>
internal static class Combat
{
    private const int Notice = 4 * Geometry.Cell; // how far beyond its range a unit looks for enemies

    // Siege tanks, hellions and colossi hit what stands around their target too. (The game's shapes differ.)
    private const int Splash = 5 * Geometry.Cell / 4;

    [ThreadStatic]
    private static List<int>? _struck;

    private static List<int> Struck => _struck ??= [];

    public static void Update(GameWorld world)
    {
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (!unit.Alive || unit.Owner == GameWorld.NeutralOwner || !unit.Finished || unit.Facts.Is(Kind.Worker))
            {
                continue;
            }

            unit.Cooldown = Math.Max(0, unit.Cooldown - 1);
            if (unit.Facts.Weapons.Length > 0 && Fight(world, slot, ref unit))
            {
                continue;
            }

            if (unit.Facts.Speed > 0 && unit.Errand is Errand.Moving or Errand.Attacking
                && Movement.Towards(world, ref unit, unit.GoalX, unit.GoalY, Geometry.Cell / 2))
            {
                unit.Errand = Errand.Idle;
            }
        }
    }

    /// <summary>Fights, or goes for whom it wants to fight.</summary>
    /// <returns>Whether it did, so that it does not move on.</returns>
    private static bool Fight(GameWorld world, int slot, ref Unit unit)
    {
        var facts = unit.Facts;
        var fixedPlace = facts.Speed == 0;
        if (unit.Errand == Errand.Moving)
        {
            return false;
        }

        var lost = unit.Target < 0 || !world.Units[unit.Target].Alive
            || world.Units[unit.Target].Generation != unit.TargetGeneration;
        if ((world.Loop + slot) % 8 == 0)
        {
            // Looks around twice a second, so that nearer enemies come first.
            var reach = facts.Weapons.Max(w => (int)(w.Range * Geometry.Cell)) + (fixedPlace ? Geometry.Cell : Notice);
            unit.Target = world.Bins.NearestEnemy(slot, reach);
            lost = unit.Target < 0;
            unit.TargetGeneration = lost ? 0 : world.Units[unit.Target].Generation;
        }

        if (lost)
        {
            unit.Target = -1;
            return false;
        }

        ref var target = ref world.Units[unit.Target];
        var theirs = target.Facts;
        var weapon = theirs.Is(Kind.Flying) ? facts.AirWeapon : facts.GroundWeapon;
        if (weapon is null)
        {
            unit.Target = -1;
            return false;
        }

        var near = (int)(weapon.Range * Geometry.Cell) + facts.Radius + theirs.Radius;
        var distance = Geometry.Length(target.X - unit.X, target.Y - unit.Y);
        if (distance > near)
        {
            if (!fixedPlace)
            {
                Movement.Towards(world, ref unit, target.X, target.Y, near);
            }

            return !fixedPlace;
        }

        if (unit.Cooldown == 0)
        {
            unit.Facing = Geometry.Direction(target.X - unit.X, target.Y - unit.Y);
            unit.Cooldown = weapon.Cooldown;
            if (facts.Id is 33 or 53 or 4)
            {
                world.Bins.Near(unit.Owner, target.X, target.Y, Splash, Struck);
                foreach (var other in Struck)
                {
                    Hit(world, unit.Owner, weapon, other);
                }

                return true;
            }

            Hit(world, unit.Owner, weapon, unit.Target);
        }

        return true;
    }

    private static void Hit(GameWorld world, int attacker, WeaponFacts weapon, int slot)
    {
        ref var target = ref world.Units[slot];
        var by = world.Players[attacker - 1];
        var of = world.Players[target.Owner - 1];
        var facts = target.Facts;
        var damage =
            Math.Max(128, (weapon.Damage + by.AttackLevel - facts.Armor - of.ArmorLevel) * 256) * weapon.Attacks;
        by.DamageDealt += damage;
        of.DamageTaken += damage;
        world.Events.Raise(of.Id, facts.Is(Kind.Structure) ? Alert.BuildingUnderAttack : Alert.UnitUnderAttack);
        var shielded = Math.Min(target.Shield, damage);
        target.Shield -= shielded;
        target.Health -= damage - shielded;
        if (target.Health > 0)
        {
            return;
        }

        var value = facts.Minerals + facts.Vespene;
        by.KilledUnits += facts.Is(Kind.Structure) ? 0 : value;
        by.KilledStructures += facts.Is(Kind.Structure) ? value : 0;
        of.LostMinerals += facts.Minerals;
        of.LostVespene += facts.Vespene;
        world.Remove(slot, died: true);
    }
}
