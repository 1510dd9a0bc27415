using System.Buffers.Binary;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>What the analysis needs of a unit.</summary>
/// <param name="Tag">The unit's number in the match.</param>
/// <param name="Type">Its type.</param>
/// <param name="Owner">A player id, 1 to 15.</param>
/// <param name="X">Its place, in cells.</param>
/// <param name="Y">Its place, in cells.</param>
/// <param name="Life">Health and shield together.</param>
/// <param name="Progress">How much of it is built: 1 if it is finished.</param>
internal readonly record struct SeenUnit(ulong Tag, uint Type, int Owner, float X, float Y, float Life, float Progress)
{
    /// <summary>The highest id of a player; 16 owns neutral units.</summary>
    public const int LastPlayer = 15;

    /// <summary>Reads a serialized <c>Unit</c> without parsing it.</summary>
    /// <param name="bytes">The unit.</param>
    /// <param name="unit">What it is.</param>
    /// <returns>False for units that do not count: neutral, remembered, hallucinated, not yet placed.</returns>
    /// <exception cref="MalformedMessageException">The bytes are not a message.</exception>
    public static bool TryRead(ReadOnlySpan<byte> bytes, out SeenUnit unit)
    {
        var (display, tag, type, owner) = ((ulong)DisplayType.Visible, 0ul, 0u, 0);
        var (x, y, life, progress) = (0f, 0f, 0f, 1f);
        var reader = new WireReader(bytes);
        unit = default;
        while (reader.Next())
        {
            switch (reader.Field)
            {
                case Unit.DisplayTypeFieldNumber:
                    display = reader.Number;
                    break;
                case Unit.TagFieldNumber:
                    tag = reader.Number;
                    break;
                case Unit.UnitTypeFieldNumber:
                    type = (uint)reader.Number;
                    break;
                case Unit.OwnerFieldNumber:
                    // The game writes it early, and most units are neutral.
                    if (reader.Number is < 1 or > LastPlayer)
                    {
                        return false;
                    }

                    owner = (int)reader.Number;
                    break;
                case Unit.PosFieldNumber:
                    (x, y) = (Real(reader.Content, Point.XFieldNumber), Real(reader.Content, Point.YFieldNumber));
                    break;
                case Unit.BuildProgressFieldNumber:
                    progress = Real(reader.Content);
                    break;
                case Unit.HealthFieldNumber or Unit.ShieldFieldNumber:
                    life += Real(reader.Content);
                    break;
                case Unit.IsBlipFieldNumber or Unit.IsHallucinationFieldNumber when reader.Number != 0:
                    return false;
            }
        }

        unit = new SeenUnit(tag, type, owner, x, y, life, progress);
        return owner > 0 && display == (ulong)DisplayType.Visible;
    }

    /// <summary>The number in a field of a serialized message; 0 if the field is absent.</summary>
    /// <exception cref="MalformedMessageException">The bytes are not a message.</exception>
    public static float Real(ReadOnlySpan<byte> message, int field)
    {
        var found = 0f;
        var reader = new WireReader(message);
        while (reader.Next())
        {
            found = reader.Field == field ? Real(reader.Content) : found;
        }

        return found;
    }

    private static float Real(ReadOnlySpan<byte> content) =>
        content.Length == sizeof(float) && BinaryPrimitives.ReadSingleLittleEndian(content) is var number && float.IsFinite(number)
            ? number
            : 0;
}
