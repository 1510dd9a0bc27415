using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>The price of an ability.</summary>
/// <param name="Minerals">Minerals to pay.</param>
/// <param name="Vespene">Vespene to pay.</param>
/// <param name="HalfFood">Additional supply in halves. Negative if supply becomes free.</param>
/// <param name="Loops">Game loops until it is finished.</param>
internal readonly record struct Price(int Minerals, int Vespene, int HalfFood, int Loops)
{
    /// <summary>Whether it costs minerals, vespene or supply.</summary>
    public bool Costs => Minerals > 0 || Vespene > 0 || HalfFood > 0;
}

/// <summary>The prices of abilities.</summary>
/// <remarks>
/// The costs in UnitTypeData are sums: an orbital command's cost includes the command center, and a spawning pool's the drone.
/// A player pays only the difference.
/// </remarks>
internal static class Prices
{
    // A morph between two states that have no alias of each other (hellion and hellbat): four seconds at normal speed.
    private const int StateLoops = 64;
    private const int WarpGateLoops = 160;

    // 16 seconds at normal speed; 4 near a nexus or gateway, or at a warp prism.
    private const int WarpLoops = 256;

    /// <summary>The duration of a warp-in in a fast or slow power field.</summary>
    public static int WarpIn(bool fast) => fast ? WarpLoops / 4 : WarpLoops;

    /// <summary>The number of units that a morph creates. Zerglings come in pairs.</summary>
    public static int CountOf(UnitType from, UnitType into) => from.Id == UnitId.Larva && into.Id == UnitId.Zergling ? 2 : 1;

    /// <summary>The price of an ability for a unit of a type. An ability that makes nothing has no price.</summary>
    public static Price Of(Ability ability, UnitType maker)
    {
        if (ability.Makes == Makes.Research && TechTree.UpgradeOf(ability) is { } upgrade)
        {
            return new Price(upgrade.Minerals, upgrade.Vespene, 0, upgrade.Loops);
        }

        if (ability.Makes == Makes.Nothing || TechTree.FindUnit(ability.Product) is not { } made)
        {
            return default;
        }

        return AbilityKinds.Of(ability) switch
        {
            AbilityKind.Morph or AbilityKind.Land => Change(maker, made),
            AbilityKind.Build when maker.Race == Race.Zerg && maker.Is(Kind.Worker) => new Price(
                Math.Max(0, made.Minerals - maker.Minerals),
                made.Vespene,
                made.HalfFood - maker.HalfFood,
                made.BuildLoops),
            AbilityKind.Build or AbilityKind.Queue or AbilityKind.Warp or AbilityKind.AddOn =>
                new Price(made.Minerals, made.Vespene, made.HalfFood, made.BuildLoops),
            _ => default,
        };
    }

    /// <summary>The duration of an action for a player. A debug command makes everything sixteen times as fast.</summary>
    /// <remarks>
    /// cpp-sc2 71510f6, tests/test_unit_command.cc:1286, expects the second level of infantry armour (3,040 loops) within 190
    /// loops. A marine (400 loops) must take more than ten (line 559).
    /// </remarks>
    public static int LoopsFor(Player player, int loops) =>
        Math.Max(1, player.Cheats.Contains(DebugGameState.FastBuild) ? loops / 16 : loops);

    private static Price Change(UnitType from, UnitType into)
    {
        var count = CountOf(from, into);
        var minerals = Math.Max(0, (into.Minerals * count) - from.Minerals);
        var vespene = Math.Max(0, (into.Vespene * count) - from.Vespene);
        var food = (into.HalfFood * count) - from.HalfFood;
        var grows = minerals > 0 || vespene > 0 || from.Id == UnitId.Larva;
        return new Price(minerals, vespene, food, grows ? into.BuildLoops : LoopsBetween(from, into));
    }

    // The build time of a state is the duration of the morph into it. The morph back takes as long.
    private static int LoopsBetween(UnitType from, UnitType into)
    {
        if (from.Id is UnitId.Gateway or UnitId.WarpGate)
        {
            return WarpGateLoops;
        }

        return into.UnitAlias == from.Id ? into.BuildLoops : from.UnitAlias == into.Id ? from.BuildLoops : StateLoops;
    }
}
