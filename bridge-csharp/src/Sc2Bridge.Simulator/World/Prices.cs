using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>What it takes to make something.</summary>
/// <param name="Minerals">To be paid.</param>
/// <param name="Vespene">To be paid.</param>
/// <param name="HalfFood">Supply in halves that is used more than before; less than 0 where some is set free.</param>
/// <param name="Loops">Game loops until it is made.</param>
internal readonly record struct Price(int Minerals, int Vespene, int HalfFood, int Loops)
{
    /// <summary>Whether it takes anything but time.</summary>
    public bool Costs => Minerals > 0 || Vespene > 0 || HalfFood > 0;
}

/// <summary>The prices of abilities.</summary>
/// <remarks>
/// UnitTypeData's costs are sums: an orbital command's has the command centre in it, a spawning pool's its drone.
/// Whoever makes one pays what is new.
/// </remarks>
internal static class Prices
{
    // A change between two states that name each other nowhere (hellion and hellbat): four seconds at normal speed.
    private const int StateLoops = 64;
    private const int WarpGateLoops = 160;

    // 16 seconds at normal speed; 4 beside a nexus or a gateway, or from a prism.
    private const int WarpLoops = 256;

    /// <summary>How long a warp-in takes, by what powers the place.</summary>
    public static int WarpIn(bool fast) => fast ? WarpLoops / 4 : WarpLoops;

    /// <summary>How many a morph makes: zerglings come in pairs.</summary>
    public static int CountOf(UnitType from, UnitType into) => from.Id == UnitId.Larva && into.Id == UnitId.Zergling ? 2 : 1;

    /// <summary>The price of an ability for a unit of a type; nothing for what makes nothing.</summary>
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

    /// <summary>How long something takes a player: a debug command makes everything sixteen times as fast.</summary>
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

    // A state's build time is that of the change into it; the way back takes as long.
    private static int LoopsBetween(UnitType from, UnitType into)
    {
        if (from.Id is UnitId.Gateway or UnitId.WarpGate)
        {
            return WarpGateLoops;
        }

        return into.UnitAlias == from.Id ? into.BuildLoops : from.UnitAlias == into.Id ? from.BuildLoops : StateLoops;
    }
}
