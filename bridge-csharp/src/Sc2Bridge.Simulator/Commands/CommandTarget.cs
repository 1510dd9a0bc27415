using SC2APIProtocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>What a command is aimed at: a unit, a place, or nothing. Places in 1/4096 of a cell.</summary>
/// <param name="Unit">The unit, or null.</param>
/// <param name="HasPoint">Whether there is a place and no unit.</param>
/// <param name="X">The place, or the unit's.</param>
/// <param name="Y">The place, or the unit's.</param>
internal readonly record struct CommandTarget(Unit? Unit, bool HasPoint, int X, int Y)
{
    /// <summary>Nothing.</summary>
    public static CommandTarget None => default;

    /// <summary>Whether there is anything.</summary>
    public bool Any => HasPoint || Unit is not null;

    /// <summary>A unit.</summary>
    public static CommandTarget Of(Unit unit) => new(unit, false, unit.X, unit.Y);

    /// <summary>A place.</summary>
    public static CommandTarget At(int x, int y) => new(null, true, x, y);

    /// <summary>Reads a command's target; places off the map are moved to its edge.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">Who commands: what it remembers is there for it, also if it has died unseen.</param>
    /// <param name="command">The command.</param>
    /// <returns>Null where it names a unit that is not there, or a place that is none.</returns>
    public static CommandTarget? Read(GameWorld world, Player player, ActionRawUnitCommand command)
    {
        switch (command.TargetCase)
        {
            case ActionRawUnitCommand.TargetOneofCase.TargetUnitTag:
                var tag = command.TargetUnitTag;
                return (world.Find(tag) ?? world.Vision.Remembered(player.Id, tag)) is { } unit ? Of(unit) : null;
            case ActionRawUnitCommand.TargetOneofCase.TargetWorldSpacePos:
                var point = command.TargetWorldSpacePos;
                var (x, y) = world.Map.PlaceAt(point.X, point.Y);
                return float.IsFinite(point.X) && float.IsFinite(point.Y) ? At(x, y) : null;
            default:
                return None;
        }
    }
}
