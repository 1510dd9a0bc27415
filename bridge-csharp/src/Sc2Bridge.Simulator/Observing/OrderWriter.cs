using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes a unit's orders and products (Unit.orders).</summary>
internal static class OrderWriter
{
    /// <summary>Writes them. Returns whether there are any.</summary>
    public static bool Write(WireWriter wire, MapWindow window, Unit unit)
    {
        // The morph is the current order. The unit's other orders wait until it ends.
        if (unit.Change is { } change)
        {
            Write(wire, window, change.Ability, change.Order, Progress(change));
        }

        foreach (var order in unit.Orders)
        {
            // Only an order for an add-on shows progress. An SCV's order has none.
            var addOn = order.Made is { Finished: false } made && made.Type.Is(Kind.AddOn) ? made : null;
            Write(wire, window, order.Ability, order, addOn is null ? null : 1 - (addOn.BuildLeft / (float)addOn.BuildLoops));
        }

        foreach (var product in unit.Queue)
        {
            Write(wire, window, product.Ability, null, Progress(product));
        }

        return IsActive(unit);
    }

    /// <summary>Whether a unit has an order, a product or a morph.</summary>
    public static bool IsActive(Unit unit) =>
        unit.Orders.Count + unit.Queue.Count > 0 || unit.Change is not null;

    private static float Progress(Product product) => 1 - (product.Left / (float)Math.Max(1, product.Loops));

    private static void Write(WireWriter wire, MapWindow window, Ability ability, Order? order, float? progress)
    {
        var start = wire.Begin(22);
        wire.Number(1, ability.Id);
        if (order is { HasPoint: true })
        {
            wire.Point(2, window.X(order.X), window.Y(order.Y), 0);
        }
        else if (order?.Target is { } target)
        {
            wire.Number(3, target.Tag);
        }

        if (progress is { } share)
        {
            wire.Real(4, share);
        }

        wire.End(start);
    }
}
