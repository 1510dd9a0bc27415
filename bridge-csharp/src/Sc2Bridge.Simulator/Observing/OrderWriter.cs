using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes what a unit is told to do and what it makes (Unit.orders).</summary>
internal static class OrderWriter
{
    /// <summary>Writes them, and answers whether there is any.</summary>
    public static bool Write(WireWriter wire, MapWindow window, Unit unit)
    {
        foreach (var order in unit.Orders)
        {
            var start = wire.Begin(22);
            wire.Number(1, order.Ability.Id);
            if (order.HasPoint)
            {
                wire.Point(2, window.X(order.X), window.Y(order.Y), 0);
            }
            else if (order.Target is { } target)
            {
                wire.Number(3, target.Tag);
            }

            // A building that builds its add-on shows how far that is; an SCV's order has no progress.
            if (order.Made is { Finished: false } made && made.Type.Is(Kind.AddOn))
            {
                wire.Real(4, 1 - (made.BuildLeft / (float)made.BuildLoops));
            }

            wire.End(start);
        }

        foreach (var product in unit.Queue)
        {
            WriteProgress(wire, product.Ability.Id, product.Left, product.Loops);
        }

        if (unit.Change is { } change)
        {
            WriteProgress(wire, change.Ability.Id, change.Left, change.Loops);
        }

        return IsActive(unit);
    }

    /// <summary>Whether a unit does something.</summary>
    public static bool IsActive(Unit unit) =>
        unit.Orders.Count + unit.Queue.Count > 0 || unit.Change is not null;

    private static void WriteProgress(WireWriter wire, int ability, int left, int loops)
    {
        var start = wire.Begin(22);
        wire.Number(1, ability);
        wire.Real(4, 1 - (left / (float)Math.Max(1, loops)));
        wire.End(start);
    }
}
