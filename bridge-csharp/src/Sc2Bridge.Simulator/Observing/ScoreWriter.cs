using SC2APIProtocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes Observation.score, every field present as in the game's messages.</summary>
internal static class ScoreWriter
{
    public static void Write(WireWriter wire, Player? player, GameWorld world)
    {
        var (units, structures) = Values(player);
        var score = wire.Begin(4);
        wire.UInt(6, (ulong)Score.Types.ScoreType.Melee);
        var stored = (player?.Minerals ?? 0) + (player?.Vespene ?? 0);
        wire.Int(7, (int)(units + structures + stored + (player?.KilledUnits ?? 0)));
        var details = wire.Begin(8);
        wire.Float(1, (player?.IdleProduction ?? 0) / 16f);
        wire.Float(2, 0);
        wire.Float(3, units);
        wire.Float(4, structures);
        wire.Float(5, player?.KilledUnits ?? 0);
        wire.Float(6, player?.KilledStructures ?? 0);
        wire.Float(7, player?.CollectedMinerals ?? 0);
        wire.Float(8, player?.CollectedVespene ?? 0);

        // A minute at normal speed is 960 loops; the rate is the whole game's mean.
        var minutes = Math.Max(1, world.Loop) / 960f;
        wire.Float(9, (player?.CollectedMinerals ?? 0) / minutes);
        wire.Float(10, (player?.CollectedVespene ?? 0) / minutes);
        wire.Float(11, player?.SpentMinerals ?? 0);
        wire.Float(12, player?.SpentVespene ?? 0);
        var army = ((player?.HalfFoodUsed ?? 0) - (player?.HalfFoodWorkers ?? 0)) / 2f;
        Category(wire, 13, army, (player?.HalfFoodWorkers ?? 0) / 2f);
        Category(wire, 14, player?.KilledUnits ?? 0, player?.KilledStructures ?? 0);
        Category(wire, 15, 0, 0);
        Category(wire, 16, player?.LostMinerals ?? 0, 0);
        Category(wire, 17, player?.LostVespene ?? 0, 0);
        Category(wire, 18, 0, 0);
        Category(wire, 19, 0, 0);
        Category(wire, 20, units, structures);
        Category(wire, 21, 0, 0);
        Category(wire, 22, player?.SpentMinerals ?? 0, 0);
        Category(wire, 23, player?.SpentVespene ?? 0, 0);
        Vitals(wire, 24, player?.DamageDealt ?? 0);
        Vitals(wire, 25, player?.DamageTaken ?? 0);
        Vitals(wire, 26, 0);
        wire.Float(27, 0);
        wire.Float(28, 0);
        wire.End(details);
        wire.End(score);
    }

    private static (long Units, long Structures) Values(Player? player)
    {
        var (units, structures) = (0L, 0L);
        for (var i = 0; player is not null && i < player.Finished.Length; i++)
        {
            var facts = UnitTable.All[i];
            var value = (long)player.Finished[i] * (facts.Minerals + facts.Vespene);
            units += facts.Is(Kind.Structure) ? 0 : value;
            structures += facts.Is(Kind.Structure) ? value : 0;
        }

        return (units, structures);
    }

    private static void Category(WireWriter wire, int field, float army, float economy)
    {
        var category = wire.Begin(field);
        wire.Float(1, 0);
        wire.Float(2, army);
        wire.Float(3, economy);
        wire.Float(4, 0);
        wire.Float(5, 0);
        wire.End(category);
    }

    private static void Vitals(WireWriter wire, int field, long life)
    {
        var vitals = wire.Begin(field);
        wire.Float(1, life / 256f);
        wire.Float(2, 0);
        wire.Float(3, 0);
        wire.End(vitals);
    }
}
