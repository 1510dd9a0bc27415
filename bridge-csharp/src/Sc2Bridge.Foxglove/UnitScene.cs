using System.Globalization;
using FoxgloveSchemas;
using Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;
using Color = FoxgloveSchemas.Color;
using KeyValuePair = FoxgloveSchemas.KeyValuePair;
using Unit = SC2APIProtocol.Unit;

namespace Sc2Bridge.Foxglove;

/// <summary>
/// Turns the units of an observation into a scene. Each unit is an entity: a box for a structure, a cylinder for other units.
/// An entity has the position and the radius of its unit, and the colour that the owner has on the live page.
/// </summary>
/// <remarks>
/// Each update deletes all entities and adds every unit again. So a viewer that skips updates, or that seeks in a recording, never
/// shows units that have disappeared.
/// </remarks>
internal sealed class UnitScene(UnitTypes types)
{
    private const int NeutralOwner = 16;
    private const double TranslucentAlpha = 0.5;

    private static readonly Color _mineralColor = Rgb(0x58c7e6);
    private static readonly Color _gasColor = Rgb(0x43c98a);
    private static readonly Color _neutralColor = Rgb(0xa5a89c);
    private static readonly Color _unknownColor = Rgb(0xc9b458);
    private static readonly Color[] _ownerColors =
    [
        .. new[] { 0x9aa4ad, 0x4c9be8, 0xe8604c, 0x5fbf6a, 0xd9a23b, 0xa87be0, 0x43b8b0, 0xd873a8, 0x8b93a0 }.Select(Rgb),
    ];

    public SceneUpdate Make(ResponseObservation observation, Timestamp time) => new()
    {
        Deletions = { new SceneEntityDeletion { Timestamp = time, Type = SceneEntityDeletion.Types.Type.All } },
        Entities = { (observation.Observation?.RawData?.Units ?? []).Select(unit => Entity(unit, time)) },
    };

    private SceneEntity Entity(Unit unit, Timestamp time)
    {
        var entity = new SceneEntity
        {
            Timestamp = time,
            FrameId = MapGrids.FrameId,
            Id = unit.Tag.ToString(CultureInfo.InvariantCulture),
            Metadata = { Facts(unit).Select(fact => new KeyValuePair { Key = fact.Key, Value = fact.Value }) },
        };
        var (width, height) = (2d * unit.Radius, Math.Max(0.5, unit.Radius));
        var pose = new Pose
        {
            Position = new Vector3 { X = unit.Pos?.X ?? 0, Y = unit.Pos?.Y ?? 0, Z = (unit.Pos?.Z ?? 0) + (height / 2) },
            Orientation = new Quaternion { W = 1 },
        };
        var size = new Vector3 { X = width, Y = width, Z = height };
        if (types.IsStructure(unit.UnitType))
        {
            entity.Cubes.Add(new CubePrimitive { Pose = pose, Size = size, Color = ColorOf(unit) });
        }
        else
        {
            entity.Cylinders.Add(
                new CylinderPrimitive { Pose = pose, Size = size, BottomScale = 1, TopScale = 1, Color = ColorOf(unit) });
        }

        return entity;
    }

    private IEnumerable<(string Key, string Value)> Facts(Unit unit)
    {
        yield return ("name", types.NameOf(unit.UnitType));
        yield return ("unit_type", Text(unit.UnitType));
        yield return ("tag", Text(unit.Tag));
        yield return ("owner", Text(unit.Owner));
        yield return ("display_type", $"{unit.DisplayType}");
        if (unit.HealthMax > 0)
        {
            yield return ("health", $"{Text(unit.Health)}/{Text(unit.HealthMax)}");
        }

        if (unit.ShieldMax > 0)
        {
            yield return ("shield", $"{Text(unit.Shield)}/{Text(unit.ShieldMax)}");
        }

        if (unit.EnergyMax > 0)
        {
            yield return ("energy", $"{Text(unit.Energy)}/{Text(unit.EnergyMax)}");
        }

        if (unit.HasBuildProgress && unit.BuildProgress < 1)
        {
            yield return ("build_progress", Text(unit.BuildProgress));
        }

        if (unit.Orders.Count > 0)
        {
            yield return ("orders", string.Join(", ", unit.Orders.Select(order => Text(order.AbilityId))));
        }
    }

    private Color ColorOf(Unit unit)
    {
        var color = types.IsMineralField(unit.UnitType) ? _mineralColor
            : unit.Owner == NeutralOwner ? types.IsGeyser(unit.UnitType) ? _gasColor : _neutralColor
            : !unit.IsBlip && unit.Owner >= 0 && unit.Owner < _ownerColors.Length ? _ownerColors[unit.Owner] : _unknownColor;
        var isPlain = unit.DisplayType == DisplayType.Visible && !unit.IsBurrowed
            && unit.Cloak is CloakState.CloakedUnknown or CloakState.NotCloaked;
        return isPlain
            ? color : new Color { R = color.R, G = color.G, B = color.B, A = TranslucentAlpha };
    }

    private static Color Rgb(int rgb) => new()
    {
        R = ((rgb >> 16) & 255) / 255d,
        G = ((rgb >> 8) & 255) / 255d,
        B = (rgb & 255) / 255d,
        A = 1,
    };

    private static string Text(IFormattable value) => value.ToString(null, CultureInfo.InvariantCulture);
}
