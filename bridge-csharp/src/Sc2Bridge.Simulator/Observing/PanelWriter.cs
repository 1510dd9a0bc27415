using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Writes the content of a player's panels (Observation.ui_data) and the available abilities (Observation.abilities). Both
/// come only with feature layers. The real message has an empty ui_data if nothing is selected.
/// </summary>
internal static class PanelWriter
{
    /// <summary>Writes the abilities of the selected units, each once.</summary>
    /// <remarks>
    /// requires_point has the meaning that PySC2 expects (actions.POINT_REQUIRED_FUNCS): whether the ability needs a click on
    /// the screen. An ability that works with and without a click is written twice.
    /// </remarks>
    public static void WriteAbilities(ViewPoint view)
    {
        var written = new HashSet<(int Id, bool Point)>();
        foreach (var unit in Selected(view).Where(unit => unit.Owner == view.Viewer))
        {
            foreach (var ability in AvailableAbilities.Of(view.World, unit, ignoreResources: false))
            {
                var aim = TechTree.Ability(ability.AbilityId).Target;
                Write(ability.AbilityId, aim is AbilityData.Types.Target.None or AbilityData.Types.Target.PointOrNone, false);
                Write(ability.AbilityId, aim != AbilityData.Types.Target.None, true);
            }
        }

        void Write(int id, bool fits, bool point)
        {
            if (fits && written.Add((id, point)))
            {
                var start = view.Wire.Begin(3);
                view.Wire.Number(1, id);
                view.Wire.Bool(2, point);
                view.Wire.End(start);
            }
        }
    }

    /// <summary>Writes the control groups and the panel of the selected units.</summary>
    public static void Write(ViewPoint view)
    {
        var start = view.Wire.Begin(8);
        for (var i = 0; view.Viewer != 0 && i < Selection.GroupCount; i++)
        {
            if (view.World.PlayerOf(view.Viewer).Selection.Group(i) is { Count: > 0 } group)
            {
                var written = view.Wire.Begin(1);
                view.Wire.Number(1, i);
                view.Wire.Number(2, group[0].Type.Id);
                view.Wire.Number(3, group.Count);
                view.Wire.End(written);
            }
        }

        switch (Selected(view))
        {
            case []:
                break;
            case [var unit] when unit.Owner == view.Viewer && unit.Passengers.Count > 0:
                WriteCargo(view, unit);
                break;
            case [var unit] when unit.Owner == view.Viewer && unit.Queue.Count > 0:
                WriteProduction(view, unit);
                break;
            case [var unit]:
                WriteSingle(view, unit);
                break;
            case var units:
                var panel = view.Wire.Begin(3);
                units.ForEach(unit => WriteUnit(view, 1, unit));
                view.Wire.End(panel);
                break;
        }

        view.Wire.End(start);
    }

    private static List<World.Unit> Selected(ViewPoint view) =>
        view.Viewer == 0 ? [] : view.World.PlayerOf(view.Viewer).Selection.Units;

    private static void WriteSingle(ViewPoint view, World.Unit unit)
    {
        var panel = view.Wire.Begin(2);
        WriteUnit(view, 1, unit);
        var player = unit.Owner == GameWorld.Neutral ? null : view.World.PlayerOf(unit.Owner);
        view.Wire.Number(2, player is null ? 0 : Upgrades.AttackLevel(player, unit.Type));
        view.Wire.Number(3, player is null ? 0 : Upgrades.ArmorLevel(player, unit.Type));
        view.Wire.Number(4, player is null ? 0 : Upgrades.ShieldLevel(player, unit.Type));
        foreach (var (buff, _) in unit.Buffs)
        {
            view.Wire.Number(5, buff);
        }

        view.Wire.End(panel);
    }

    private static void WriteCargo(ViewPoint view, World.Unit unit)
    {
        var panel = view.Wire.Begin(4);
        WriteUnit(view, 1, unit);
        unit.Passengers.ForEach(passenger => WriteUnit(view, 2, passenger));
        view.Wire.Number(3, unit.CargoSpace - Transport.UsedCargo(unit));
        view.Wire.End(panel);
    }

    private static void WriteProduction(ViewPoint view, World.Unit unit)
    {
        var panel = view.Wire.Begin(5);
        WriteUnit(view, 1, unit);
        foreach (var product in unit.Queue.Where(product => product.Ability.Makes == Makes.Train))
        {
            var item = view.Wire.Begin(2);
            view.Wire.Number(1, product.Ability.Product);
            view.Wire.Number(2, (ulong)Alliance.Self);
            view.Wire.Real(7, Progress(product));
            view.Wire.End(item);
        }

        foreach (var product in unit.Queue)
        {
            var item = view.Wire.Begin(3);
            view.Wire.Number(1, product.Ability.Id);
            view.Wire.Real(2, Progress(product));
            view.Wire.End(item);
        }

        view.Wire.End(panel);
    }

    private static float Progress(Product product) => 1 - (product.Left / (float)Math.Max(1, product.Loops));

    private static void WriteUnit(ViewPoint view, int field, World.Unit unit)
    {
        var wire = view.Wire;
        var start = wire.Begin(field);
        wire.Number(1, unit.Type.Id);
        wire.Number(2, (ulong)view.AllianceOf(unit));
        wire.Number(3, unit.Health / 256);
        wire.Number(4, unit.Shield / 256);
        wire.Number(5, unit.Energy / 256);
        wire.Number(6, Transport.UsedCargo(unit));
        wire.Real(7, ViewPoint.ProgressOf(unit, unit.BuildLeft));
        if (unit.AddOn is { } addOn && !unit.Type.Is(Kind.AddOn))
        {
            WriteUnit(view, 8, addOn);
        }

        wire.Number(9, unit.MostHealth / 256);
        wire.Number(10, unit.Type.Shield);
        wire.Number(11, unit.Type.Energy);
        wire.End(start);
    }
}
