using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes Observation.score. Every field is present, as in the game's messages.</summary>
internal static class ScoreWriter
{
    private const int Upgrade = 4;
    private static readonly Score Nothing = new();

    /// <summary>Writes a player's score. An observer's score is empty.</summary>
    public static void Write(WireWriter wire, GameWorld world, Player? player)
    {
        var now = player is null ? new Standing() : new Standing(world, player);
        var sums = player?.Score ?? Nothing;
        var score = wire.Begin(4);
        wire.Number(6, (ulong)SC2APIProtocol.Score.Types.ScoreType.Melee);
        wire.Number(7, player is null ? 0 : (int)TotalOf(world, player));
        var details = wire.Begin(8);
        wire.Real(1, sums.IdleProduction / 16f);
        wire.Real(2, sums.IdleWorkers / 16f);
        wire.Real(3, now.Units);
        wire.Real(4, now.Structures);
        wire.Real(5, sums.KilledUnits);
        wire.Real(6, sums.KilledStructures);
        wire.Real(7, sums.CollectedMinerals);
        wire.Real(8, sums.CollectedVespene);
        wire.Real(9, Rate(sums.CollectedMinerals, world));
        wire.Real(10, Rate(sums.CollectedVespene, world));
        wire.Real(11, sums.SpentMinerals);
        wire.Real(12, sums.SpentVespene);
        Category(wire, 13, now.Food);
        Category(wire, 14, sums.Killed.Minerals);
        Category(wire, 15, sums.Killed.Vespene);
        Category(wire, 16, sums.Lost.Minerals);
        Category(wire, 17, sums.Lost.Vespene);
        Category(wire, 18, new long[5]);
        Category(wire, 19, new long[5]);
        Category(wire, 20, now.Costs.Minerals);
        Category(wire, 21, now.Costs.Vespene);
        Category(wire, 22, Sum(now.Costs.Minerals, sums.Lost.Minerals));
        Category(wire, 23, Sum(now.Costs.Vespene, sums.Lost.Vespene));
        Vitals(wire, 24, sums.DamageDealtLife, sums.DamageDealtShields);
        Vitals(wire, 25, sums.DamageTakenLife, sums.DamageTakenShields);
        Vitals(wire, 26, sums.HealedLife, 0);
        wire.Real(27, 0);
        wire.Real(28, 0);
        wire.End(details);
        wire.End(score);
    }

    /// <summary>The value of a player's units, of its resources, and of the units that it killed.</summary>
    public static long TotalOf(GameWorld world, Player player)
    {
        var total = player.Minerals + player.Vespene + player.Score.Killed.Total;
        foreach (var unit in world.Units)
        {
            total += unit.Owner == player.Id ? unit.Type.Minerals + unit.Type.Vespene : 0;
        }

        return total;
    }

    // A minute at normal speed is 960 loops. The rate is the mean of the whole match. The game uses the last seconds.
    private static float Rate(long collected, GameWorld world) => collected * 960f / Math.Max(960, world.Loop);

    private static long[] Sum(long[] a, long[] b) => [.. a.Zip(b, (x, y) => x + y)];

    private static void Category(WireWriter wire, int field, long[] values)
    {
        var category = wire.Begin(field);
        for (var i = 0; i < values.Length; i++)
        {
            wire.Real(i + 1, values[i]);
        }

        wire.End(category);
    }

    private static void Vitals(WireWriter wire, int field, long life, long shields)
    {
        var vitals = wire.Begin(field);
        wire.Real(1, life / 256f);
        wire.Real(2, shields / 256f);
        wire.Real(3, 0);
        wire.End(vitals);
    }

    /// <summary>The current value of a player's units and upgrades.</summary>
    private sealed class Standing
    {
        public Standing()
        {
        }

        public Standing(GameWorld world, Player player)
        {
            foreach (var unit in world.Units)
            {
                if (unit.Owner != player.Id)
                {
                    continue;
                }

                Costs.Add(unit.Type);
                Food[CostByCategory.CategoryOf(unit.Type)] += unit.Type.HalfFood;
                var value = unit.Type.Minerals + unit.Type.Vespene;
                Units += unit.Type.Is(Kind.Structure) ? 0 : value;
                Structures += unit.Type.Is(Kind.Structure) ? value : 0;
            }

            for (var i = 0; i < Food.Length; i++)
            {
                Food[i] /= 2;
            }

            foreach (var id in player.Upgrades)
            {
                Costs.Minerals[Upgrade] += TechTree.FindUpgrade(id)?.Minerals ?? 0;
                Costs.Vespene[Upgrade] += TechTree.FindUpgrade(id)?.Vespene ?? 0;
            }
        }

        public CostByCategory Costs { get; } = new();

        public long[] Food { get; } = new long[5];

        public long Units { get; }

        public long Structures { get; }
    }
}
