// What is not written yet: whoever writes a class deletes it here.
#pragma warning disable SA1402, CA1801, IDE0060
using SC2APIProtocol;
using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Carries out what players ask of their units (W2).</summary>
/// <remarks>
/// As the game does it: a request is answered with what <see cref="Check"/> says at that moment, each of its commands for
/// itself, and is carried out before the next loop, in order; one that cannot be by then (the first took the minerals) is
/// dropped without a word. So Check must change nothing, and Command checks again.
/// </remarks>
internal static class Commander
{
    /// <summary>What the game would answer to a command now; changes nothing.</summary>
    public static ActionResult Check(GameWorld world, Player player, ActionRawUnitCommand command) => ActionResult.Success;

    /// <summary>Gives the orders, where they still can be given.</summary>
    public static ActionResult Command(GameWorld world, Player player, ActionRawUnitCommand command) => ActionResult.Success;

    /// <summary>What the game would answer to a switch now; changes nothing.</summary>
    public static ActionResult CheckAutocast(GameWorld world, Player player, ActionRawToggleAutocast toggle) => ActionResult.Success;

    /// <summary>Switches autocast.</summary>
    public static ActionResult ToggleAutocast(GameWorld world, Player player, ActionRawToggleAutocast toggle) => ActionResult.Success;
}

/// <summary>What a unit can be ordered to do now (W2).</summary>
internal static class AvailableAbilities
{
    /// <summary>Specific abilities, in the order of the unit's facts; requires_point where the target is a point.</summary>
    public static IReadOnlyList<AvailableAbility> Of(GameWorld world, Unit unit, bool ignoreResources) => [];
}

/// <summary>Whether a building could stand somewhere (W2).</summary>
internal static class Placement
{
    /// <summary>As a player knows the map; positions in 1/4096 of a cell.</summary>
    public static ActionResult Query(GameWorld world, Player player, Facts.Ability ability, int x, int y, Unit? placing) =>
        ActionResult.Success;
}
