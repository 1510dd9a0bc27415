using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Applies a shot to its target: damage, bonus and upgrades against shields and armour.</summary>
internal static class Hits
{
    private const int Point = 256;

    /// <summary>Applies one shot with all its attacks.</summary>
    /// <param name="world">The world.</param>
    /// <param name="attacker">The unit that shoots.</param>
    /// <param name="target">The unit that is hit.</param>
    /// <param name="weapon">The weapon.</param>
    /// <param name="percent">The percentage of the damage that is applied.</param>
    public static void Strike(GameWorld world, Unit attacker, Unit target, Weapon weapon, int percent)
    {
        if (attacker.Hallucination)
        {
            return;
        }

        var points = DamageTo(world.PlayerOf(attacker.Owner), attacker.Type, weapon, target.Type);
        points += target.Type.Is(SC2APIProtocol.Attribute.Armored)
            ? Buffs.Sum(attacker, static buff => buff.ArmoredDamage)
            : 0;
        var damage = points * Point * percent / 100;
        damage = target.Hallucination ? damage * 2 : damage;
        var (armor, shieldArmor) = ArmorOf(world, target);
        armor += weapon.Range > Geometry.Cell ? Buffs.Sum(target, static buff => buff.RangedArmor) : 0;
        for (var i = 0; i < weapon.Attacks && target.Alive; i++)
        {
            // An attack does at least half a point of damage. The part that the shields do not absorb is reduced by the armour.
            var through = damage - (target.Shield > 0 ? shieldArmor * Point : 0);
            var shield = Math.Min(target.Shield, Math.Max(Point / 2, through));
            var rest = through - shield;
            var life = rest > 0 ? Math.Max(Point / 2, rest - (armor * Point)) : 0;
            Casualties.Wound(world, attacker.Owner, target, shield, life);
        }

        Slow(world, attacker, target);
        FightBack(attacker, target);
    }

    /// <summary>The points of one attack against a type, before armour.</summary>
    public static int DamageTo(Player player, UnitType attacker, Weapon weapon, UnitType target)
    {
        var damage = Upgrades.Damage(player, attacker, weapon);
        for (var i = 0; i < weapon.Bonuses.Count; i++)
        {
            var (attribute, bonus, perLevel) = weapon.Bonuses[i];
            damage += target.Is(attribute) ? bonus + (Upgrades.AttackLevel(player, attacker) * perLevel) : 0;
        }

        return damage + (target.Is(SC2APIProtocol.Attribute.Light) ? Upgrades.Sum(player, attacker, Stat.Light) : 0);
    }

    private static (int Armor, int Shield) ArmorOf(GameWorld world, Unit target)
    {
        if (target.Owner == GameWorld.Neutral)
        {
            return (target.Type.Armor, 0);
        }

        var owner = world.PlayerOf(target.Owner);
        var more = Buffs.Sum(target, static buff => buff.Armor);
        return (target.Type.Armor + Upgrades.ArmorLevel(owner, target.Type) + more,
            Upgrades.ShieldLevel(owner, target.Type) + more);
    }

    // A marauder's concussive shells slow the target for about a second.
    private static void Slow(GameWorld world, Unit attacker, Unit target)
    {
        if (attacker.Type.Id == UnitId.Marauder && target.Alive && !target.Type.Is(SC2APIProtocol.Attribute.Massive)
            && world.PlayerOf(attacker.Owner).Upgrades.Contains(UpgradeId.PunisherGrenades))
        {
            Buffs.Put(target, BuffId.Slow, world.Loop + 24);
        }
    }

    // A unit without orders attacks its attacker at any distance.
    private static void FightBack(Unit attacker, Unit target)
    {
        if (target.Alive && target.Engaged is null && target.Orders.Count == 0 && target.Owner != attacker.Owner
            && target.Owner != GameWorld.Neutral && !target.Type.Is(Kind.Worker) && Combat.CanFight(target, attacker))
        {
            target.Engaged = attacker;
        }
    }
}
