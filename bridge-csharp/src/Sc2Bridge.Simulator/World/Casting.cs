using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Carries out orders to cast spells: comes into range, waits, pays. <see cref="Spells"/> has the effect of each spell.</summary>
internal static class Casting
{
    private const int Anywhere = 100 * Geometry.Cell; // ResponseData has 500 cells for unlimited range

    /// <summary>Whether the simulated game implements a spell. It refuses the other spells.</summary>
    public static bool Knows(Ability ability) => Heals(ability) || Spells.All.ContainsKey(ability.Id);

    /// <summary>One loop of casting. Returns true when the order is done or has failed.</summary>
    public static bool Cast(GameWorld world, Unit unit, Order order)
    {
        if (Heals(order.Ability))
        {
            return Heal(world, unit, order);
        }

        if (!Spells.All.TryGetValue(order.Ability.Id, out var spell))
        {
            return true;
        }

        if (order.Phase == 2)
        {
            var goes = order.Left-- > 0 && !Buffs.Has(unit, BuffId.RavenScramblerMissile)
                && order.Target is not { Alive: false } and not { Present: false };
            return !goes || (spell.Reach > 0 && !Combat.Within(unit, order.Target!, spell.Reach))
                || !spell.During!(world, unit, order, spell);
        }

        if (Refusal(unit, order, spell) is { } why)
        {
            Failures.Report(world, unit, order, why);
            return true;
        }

        if (order.Phase == 0)
        {
            if (!Approach(world, unit, order))
            {
                return Movement.IsStuck(world, unit) || unit.Type.Speed == 0;
            }

            (order.Phase, order.Left) = (1, spell.Wait);
            unit.Engaged = null;
        }

        if (order.Left-- > 0)
        {
            return false;
        }

        if (spell.Do(world, unit, order, spell))
        {
            unit.Energy -= order.Ability.Energy * 256;
            if (order.Ability.Cooldown > 0 && !world.PlayerOf(unit.Owner).Cheats.Contains(DebugGameState.Cooldown))
            {
                unit.Cooldowns[order.Ability.Id] = order.Ability.Cooldown;
            }

            (order.Phase, order.Left) = (2, spell.Channel);
            return spell.During is null;
        }

        Failures.Report(world, unit, order, spell.Failure);
        return true;
    }

    private static ActionResult? Refusal(Unit unit, Order order, Spell spell)
    {
        if (Buffs.Has(unit, BuffId.RavenScramblerMissile))
        {
            return ActionResult.Error;
        }

        if (unit.Energy < order.Ability.Energy * 256)
        {
            return ActionResult.NotEnoughEnergy;
        }

        if (unit.Cooldowns.GetValueOrDefault(order.Ability.Id) > 0)
        {
            return ActionResult.Cooldown;
        }

        if (order.Target is not { } target)
        {
            return null;
        }

        return !target.Alive || !target.Present || !Combat.Sees(unit.Owner, target) ? ActionResult.MustTargetVisibleUnit
            : spell.On is { } on && !on.Fits(unit, target) ? ActionResult.CantTargetThatUnit
            : null;
    }

    /// <summary>Goes into range. Returns true when the unit is there.</summary>
    private static bool Approach(GameWorld world, Unit unit, Order order)
    {
        var range = (int)(order.Ability.CastRange * Geometry.Cell);
        if (range >= Anywhere || unit.Type.Speed == 0 || (order.Target is null && !order.HasPoint))
        {
            return true;
        }

        return order.Target is { } target
            ? Combat.Within(unit, target, range) || Movement.Towards(world, unit, target, range)
            : Movement.Towards(world, unit, order.X, order.Y, range + unit.Type.Radius);
    }

    private static bool Heals(Ability ability) =>
        ability.Id is AbilityId.EffectHeal or AbilityId.EffectShieldBatteryRecharge;

    private static bool Heal(GameWorld world, Unit unit, Order order)
    {
        if (order.Target is not { } patient || !Healing.MayHeal(unit, patient))
        {
            return true;
        }

        var range = unit.Type.Heals!.Range;
        return unit.Type.Speed == 0
            ? !Combat.Within(unit, patient, range) || !Healing.Give(world, unit, patient)
            : Movement.Towards(world, unit, patient, range) && !Healing.Give(world, unit, patient);
    }
}
