using SC2APIProtocol;
using Sc2Bridge.Simulator.Pathing;

namespace Sc2Bridge.Games;

/// <summary>The cells that units and new buildings occupy, from the game's data.</summary>
internal sealed class BlockingShapes
{
    // The footprint of an ability that builds an add-on has sides of this many cells: it includes the building that gets the add-on.
    private const int SideWithAddOn = 7;

    private readonly Dictionary<uint, Footprint> _shapes = [];
    private readonly Dictionary<uint, UnitTypeData> _types;
    private readonly Dictionary<uint, AbilityData> _abilities;
    private readonly Dictionary<uint, UnitTypeData> _typeByAbility;

    public BlockingShapes(ResponseData data)
    {
        _types = data.Units.GroupBy(type => type.UnitId).ToDictionary(types => types.Key, types => types.First());
        _abilities = data.Abilities.GroupBy(a => a.AbilityId).ToDictionary(same => same.Key, same => same.First());
        _typeByAbility = data.Units.Where(type => type.Available && type.AbilityId > 0)
            .GroupBy(type => type.AbilityId).ToDictionary(types => types.Key, types => types.First());
        foreach (var type in _types.Values)
        {
            if (ShapeOf(type) is { } shape)
            {
                _shapes[type.UnitId] = shape;
            }
        }
    }

    /// <summary>Returns the cells that a unit of this type occupies; null if it occupies no cells.</summary>
    public Footprint? Of(uint type) => _shapes.GetValueOrDefault(type);

    /// <summary>Returns the data of a unit type; null for an unknown type.</summary>
    public UnitTypeData? DataOf(uint type) => _types.GetValueOrDefault(type);

    /// <summary>Returns the unit type that an ability makes; null if the ability makes no unit.</summary>
    public UnitTypeData? MadeBy(int ability) => _typeByAbility.GetValueOrDefault((uint)ability);

    /// <summary>Returns the cells that the building of an ability needs; null if the ability has no footprint in the game's data.</summary>
    /// <param name="ability">The ability.</param>
    /// <param name="isAddOn">Whether the building is an add-on. If so, the result covers only the add-on.</param>
    public Footprint? FootprintFor(int ability, out bool isAddOn)
    {
        var side = SideLengthOf((uint)ability);
        isAddOn = side == SideWithAddOn;
        return isAddOn ? Footprint.Two : Footprint.OfSide(side);
    }

    private Footprint? ShapeOf(UnitTypeData type)
    {
        if (type.HasMinerals)
        {
            return Footprint.Mineral;
        }

        if (type.HasVespene)
        {
            return Footprint.Three;
        }

        if (!type.Attributes.Contains(SC2APIProtocol.Attribute.Structure) || type.MovementSpeed > 0)
        {
            return null;
        }

        // An ability that upgrades a building has no footprint. So a lair gets the shape of a hatchery, whose own ability has a footprint.
        var side = type.TechAlias.Append(type.UnitAlias).Select(_types.GetValueOrDefault).Prepend(type)
            .Select(state => state is null ? 0 : SideLengthOf(state.AbilityId)).FirstOrDefault(side => side > 0);
        return side == SideWithAddOn ? Footprint.Two : Footprint.OfSide(side) ?? Footprint.OfNeutral((int)type.UnitId);
    }

    private int SideLengthOf(uint ability) =>
        _abilities.GetValueOrDefault(ability) is { FootprintRadius: > 0 and < 10 } known
            ? (int)(known.FootprintRadius * 2)
            : 0;
}
