using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;
using static SC2APIProtocol.ActionUI;
using GroupAction = SC2APIProtocol.ActionControlGroup.Types.ControlGroupAction;
using Idle = SC2APIProtocol.ActionSelectIdleWorker.Types.Type;
using Panel = SC2APIProtocol.ActionMultiPanel.Types.Type;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Players' actions with keys and on the panels (<c>action_ui</c>).</summary>
internal static class PanelActions
{
    /// <summary>The game's answer to an action. Changes nothing.</summary>
    public static ActionResult Check(GameWorld world, Player player, ActionUI action)
    {
        var selected = player.Selection.Units;
        var fits = action.ActionCase switch
        {
            ActionOneofCase.ControlGroup => action.ControlGroup.ControlGroupIndex < Selection.GroupCount,
            ActionOneofCase.MultiPanel => (uint)action.MultiPanel.UnitIndex < selected.Count,
            ActionOneofCase.CargoPanel => Single(player) is { } carrier
                && (uint)action.CargoPanel.UnitIndex < carrier.Passengers.Count,
            ActionOneofCase.ProductionPanel => Single(player) is { } maker
                && (uint)action.ProductionPanel.UnitIndex < maker.Queue.Count,
            ActionOneofCase.ToggleAutocast => true,
            _ => action.ActionCase != ActionOneofCase.None,
        };
        return !fits ? ActionResult.Error
            : action.ActionCase == ActionOneofCase.ToggleAutocast
                ? Commander.CheckAutocast(world, player, Toggle(player, action))
                : ActionResult.Success;
    }

    /// <summary>Carries out an action for which <see cref="Check"/> returned <see cref="ActionResult.Success"/>.</summary>
    public static void Do(GameWorld world, Player player, ActionUI action)
    {
        var selection = player.Selection;
        switch (action.ActionCase)
        {
            case ActionOneofCase.ControlGroup:
                Group(selection, action.ControlGroup);
                break;
            case ActionOneofCase.SelectArmy:
                Take(Own(world, player, u => u.Type.IsSelectedAsArmy), action.SelectArmy.SelectionAdd);
                break;
            case ActionOneofCase.SelectWarpGates:
                Take(
                    Own(world, player, u => u.Type.Id == UnitId.WarpGate && u.Finished), action.SelectWarpGates.SelectionAdd);
                break;
            case ActionOneofCase.SelectLarva:
                var of = selection.Units.Where(u => u.Type.Is(Kind.TownHall)).ToHashSet();
                Take(Own(world, player, u => u.Type.Id == UnitId.Larva && (of.Count == 0 || of.Contains(u.Home!))), false);
                break;
            case ActionOneofCase.SelectIdleWorker:
                var type = action.SelectIdleWorker.Type;
                var idle = Own(world, player, u => u.Type.Is(Kind.Worker) && u.Orders.Count == 0);
                var next = idle.Where(u => !selection.Units.Contains(u)).Concat(idle).Take(1);
                Take(type is Idle.All or Idle.AddAll ? idle : [.. next], type is Idle.Add or Idle.AddAll);
                break;
            case ActionOneofCase.MultiPanel:
                Pick(selection.Units, action.MultiPanel);
                break;
            case ActionOneofCase.CargoPanel:
                var carrier = Single(player)!;
                Transport.LetOut(world, carrier, carrier.Passengers[action.CargoPanel.UnitIndex]);
                break;
            case ActionOneofCase.ProductionPanel:
                Production.Dequeue(world, Single(player)!, action.ProductionPanel.UnitIndex);
                break;
            case ActionOneofCase.ToggleAutocast:
                Commander.ToggleAutocast(world, player, Toggle(player, action));
                break;
        }

        // If no unit matches, the selection stays as it is.
        void Take(World.Unit[] units, bool add)
        {
            if (units.Length > 0)
            {
                selection.Select(units, add && selection.Units.TrueForAll(u => u.Owner == player.Id));
            }
        }
    }

    private static World.Unit? Single(Player player) =>
        player.Selection.Units is [var unit] && unit.Owner == player.Id ? unit : null;

    private static World.Unit[] Own(GameWorld world, Player player, Func<World.Unit, bool> which) =>
        [.. world.Units.Where(unit => unit.Owner == player.Id && unit.Present && which(unit))];

    private static void Group(Selection selection, ActionControlGroup action)
    {
        var index = (int)action.ControlGroupIndex;
        switch (action.Action)
        {
            case GroupAction.Recall when selection.Group(index).Exists(unit => unit.Present):
                selection.Select(selection.Group(index).Where(unit => unit.Present), add: false);
                break;
            case not GroupAction.Recall when selection.Units.Count > 0:
                selection.Assign(
                    index,
                    add: action.Action is GroupAction.Append or GroupAction.AppendAndSteal,
                    steal: action.Action is GroupAction.SetAndSteal or GroupAction.AppendAndSteal);
                break;
        }
    }

    private static void Pick(List<World.Unit> units, ActionMultiPanel action)
    {
        var unit = units[action.UnitIndex];
        bool IsOne(World.Unit other) => action.Type is Panel.SelectAllOfType or Panel.DeselectAllOfType
            ? other.Type.Id == unit.Type.Id
            : other == unit;
        var drop = action.Type is Panel.DeselectUnit or Panel.DeselectAllOfType;
        units.RemoveAll(other => IsOne(other) == drop);
    }

    private static ActionRawToggleAutocast Toggle(Player player, ActionUI action)
    {
        var toggle = new ActionRawToggleAutocast { AbilityId = action.ToggleAutocast.AbilityId };
        toggle.UnitTags.AddRange(player.Selection.Units.Select(unit => unit.Tag));
        return toggle;
    }
}
