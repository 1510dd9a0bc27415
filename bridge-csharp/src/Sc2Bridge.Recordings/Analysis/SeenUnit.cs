using System.Buffers.Binary;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>The properties of a unit that the analysis needs.</summary>
/// <param name="Tag">The unit's tag.</param>
/// <param name="Type">The unit type id.</param>
/// <param name="Owner">The owner's player id, 1 to 15.</param>
/// <param name="X">The x of the position, in cells.</param>
/// <param name="Y">The y of the position, in cells.</param>
/// <param name="Life">Health and shield together.</param>
/// <param name="Progress">The build progress from 0 to 1.</param>
internal readonly record struct SeenUnit(ulong Tag, uint Type, int Owner, float X, float Y, float Life, float Progress)
{
    /// <summary>The highest player id. Neutral units have the owner 16.</summary>
    public const int LastPlayer = 15;

    /// <summary>Reads a serialized <c>Unit</c> without parsing it.</summary>
    /// <param name="bytes">The unit.</param>
    /// <param name="unit">The result.</param>
    /// <returns>False for units that the analysis ignores: neutral units, snapshots, hallucinations and placeholders.</returns>
    /// <exception cref="MalformedMessageException">The bytes are not a valid message.</exception>
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
                    display = reader.VarintValue;
                    break;
                case Unit.TagFieldNumber:
                    tag = reader.VarintValue;
                    break;
                case Unit.UnitTypeFieldNumber:
                    type = (uint)reader.VarintValue;
                    break;
                case Unit.OwnerFieldNumber:
                    // Most units are neutral, and the owner comes early in the message. So stopping here saves time.
                    if (reader.VarintValue is < 1 or > LastPlayer)
                    {
                        return false;
                    }

                    owner = (int)reader.VarintValue;
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
                case Unit.IsBlipFieldNumber or Unit.IsHallucinationFieldNumber when reader.VarintValue != 0:
                    return false;
            }
        }

        unit = new SeenUnit(tag, type, owner, x, y, life, progress);
        return owner > 0 && display == (ulong)DisplayType.Visible;
    }

    /// <summary>The float in a field of a serialized message; 0 if the field is missing.</summary>
    /// <exception cref="MalformedMessageException">The bytes are not a valid message.</exception>
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
