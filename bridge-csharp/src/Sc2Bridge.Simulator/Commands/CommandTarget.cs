using SC2APIProtocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>The target of a command: a unit, a point, or nothing. Positions are in 1/4096 of a cell.</summary>
/// <param name="Unit">The unit, or null.</param>
/// <param name="HasPoint">Whether the target is a point.</param>
/// <param name="X">The point, or the unit's position.</param>
/// <param name="Y">The point, or the unit's position.</param>
internal readonly record struct CommandTarget(Unit? Unit, bool HasPoint, int X, int Y)
{
    /// <summary>No target.</summary>
    public static CommandTarget None => default;

    /// <summary>Whether there is a target.</summary>
    public bool Any => HasPoint || Unit is not null;

    /// <summary>Creates a unit target.</summary>
    public static CommandTarget Of(Unit unit) => new(unit, false, unit.X, unit.Y);

    /// <summary>Creates a point target.</summary>
    public static CommandTarget At(int x, int y) => new(null, true, x, y);

    /// <summary>Reads a command's target. Points outside the map are moved to its edge.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">The player that commands. It can target a unit that it remembers, even if the unit has died unseen.</param>
    /// <param name="command">The command.</param>
    /// <returns>Null if the unit does not exist or the point is not a number.</returns>
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
