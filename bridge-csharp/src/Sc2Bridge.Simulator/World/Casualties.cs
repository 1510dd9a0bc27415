using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Counts damage and losses for the score, and raises alerts for the players that are attacked.</summary>
internal static class Casualties
{
    // The game raises one alert for each fight, not for each shot. A fight is over after ten seconds without a hit.
    private const int LoopsBetweenAlerts = 160;

    /// <summary>Subtracts life and shields from a unit that was hit, and removes the unit if no life is left.</summary>
    /// <param name="world">The world.</param>
    /// <param name="attacker">A player's id, or <see cref="GameWorld.Neutral"/> if no player attacked.</param>
    /// <param name="target">The unit that was hit.</param>
    /// <param name="shield">The loss of shields, in 1/256 of a point.</param>
    /// <param name="life">The loss of life, in 1/256 of a point.</param>
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
            Transport.UnloadSurvivors(world, target);
            Count(world, attacker, target);
            world.Remove(target, died: true);
        }
    }

    private static void Warn(GameWorld world, Unit target)
    {
        if (world.Loop - target.LastHit > LoopsBetweenAlerts && !target.Hallucination)
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
