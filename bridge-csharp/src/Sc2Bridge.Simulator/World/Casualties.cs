using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Counts damage and losses for the score, and tells players that they are attacked.</summary>
internal static class Casualties
{
    // The game warns once about a fight, not at every shot: ten seconds must pass.
    private const int Quiet = 160;

    /// <summary>Takes life and shields off a unit that was hit, and the unit away when nothing is left.</summary>
    /// <param name="world">The world.</param>
    /// <param name="attacker">A player's id, or <see cref="GameWorld.Neutral"/> for nobody.</param>
    /// <param name="target">Whom.</param>
    /// <param name="shield">What its shields lose, in 1/256 of a point.</param>
    /// <param name="life">What its life loses, in 1/256 of a point.</param>
    public static void Wound(GameWorld world, int attacker, Unit target, int shield, int life)
    {
        if (!target.Alive || target.Type.Health == 0 || (target.Buffs.Count > 0 && Buffs.Has(target, BuffId.OracleStasisTrapTarget)))
        {
            return;
        }

        if (target.Owner != GameWorld.Neutral)
        {
            var owner = world.PlayerOf(target.Owner);
            if (owner.Cheats.Contains(DebugGameState.God))
            {
                return;
            }

            Warn(world, target);
            owner.Score.DamageTakenShields += shield;
            owner.Score.DamageTakenLife += Math.Min(life, target.Health);
        }

        if (attacker != GameWorld.Neutral && attacker != target.Owner)
        {
            var score = world.PlayerOf(attacker).Score;
            score.DamageDealtShields += shield;
            score.DamageDealtLife += Math.Min(life, target.Health);
        }

        target.LastHit = world.Loop;
        target.Shield -= shield;
        target.Health -= life;
        if (target.Health <= 0)
        {
            target.Health = 0;
            Transport.Save(world, target);
            Count(world, attacker, target);
            world.Remove(target, died: true);
        }
    }

    private static void Warn(GameWorld world, Unit target)
    {
        if (world.Loop - target.LastHit > Quiet && !target.Hallucination)
        {
            var building = target.Type.Is(Kind.Structure);
            world.EventsOf(target.Owner).Raise(building ? Alert.BuildingUnderAttack : Alert.UnitUnderAttack);
        }
    }

    private static void Count(GameWorld world, int attacker, Unit target)
    {
        var type = target.Type;
        if (target.Owner == GameWorld.Neutral || target.Hallucination)
        {
            return;
        }

        var lost = world.PlayerOf(target.Owner).Score;
        lost.UnitsLost++;
        lost.Lost.Add(type);
        if (attacker == target.Owner || attacker == GameWorld.Neutral)
        {
            return;
        }

        var killed = world.PlayerOf(attacker).Score;
        killed.UnitsKilled++;
        killed.Killed.Add(type);
        if (type.Is(Kind.Structure))
        {
            killed.KilledStructures += type.Minerals + type.Vespene;
        }
        else
        {
            killed.KilledUnits += type.Minerals + type.Vespene;
        }
    }
}
