using Sc2Bridge.Protocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes fields that are points.</summary>
internal static class PointFields
{
    // A tag of one byte, and the number's four bytes.
    private const int PartLength = 5;

    public static void Point(this WireWriter wire, int field, float x, float y, float z)
    {
        wire.Head(field, 3 * PartLength);
        wire.Real(1, x);
        wire.Real(2, y);
        wire.Real(3, z);
    }

    public static void Point2(this WireWriter wire, int field, float x, float y)
    {
        wire.Head(field, 2 * PartLength);
        wire.Real(1, x);
        wire.Real(2, y);
    }
}
