using SC2APIProtocol;
using Sc2Bridge.Simulator.Pathing;

namespace Sc2Bridge.Games;

/// <summary>Which cells a unit's type stands on, and an ability's building, as the game's data tells.</summary>
internal sealed class BlockingShapes
{
    // An add-on's ability has the footprint of its building with it.
    private const int WithAddOn = 7;

    private readonly Dictionary<uint, Footprint> _ofType = [];
    private readonly Dictionary<uint, UnitTypeData> _types;
    private readonly Dictionary<uint, AbilityData> _abilities;
    private readonly Dictionary<uint, UnitTypeData> _made;

    /// <summary>Of some data.</summary>
    public BlockingShapes(ResponseData data)
    {
        _types = data.Units.GroupBy(type => type.UnitId).ToDictionary(types => types.Key, types => types.First());
        _abilities = data.Abilities.GroupBy(a => a.AbilityId).ToDictionary(same => same.Key, same => same.First());
        _made = data.Units.Where(type => type.Available && type.AbilityId > 0)
            .GroupBy(type => type.AbilityId).ToDictionary(types => types.Key, types => types.First());
        foreach (var type in _types.Values)
        {
            if (Shape(type) is { } shape)
            {
                _ofType[type.UnitId] = shape;
            }
        }
    }

    /// <summary>What a unit of a type stands on; null for one that stands on nothing.</summary>
    public Footprint? Of(uint type) => _ofType.GetValueOrDefault(type);

    /// <summary>A type; null for an unknown one.</summary>
    public UnitTypeData? Type(uint type) => _types.GetValueOrDefault(type);

    /// <summary>What an ability makes; null where it makes nothing.</summary>
    public UnitTypeData? MadeBy(int ability) => _made.GetValueOrDefault((uint)ability);

    /// <summary>What an ability's building needs; null where it needs no more than a place for a unit.</summary>
    /// <param name="ability">The ability.</param>
    /// <param name="isAddOn">Whether it is an add-on, and this its own part.</param>
    public Footprint? Needs(int ability, out bool isAddOn)
    {
        var sides = Sides((uint)ability);
        isAddOn = sides == WithAddOn;
        return isAddOn ? Footprint.Two : Footprint.OfSide(sides);
    }

    private Footprint? Shape(UnitTypeData type)
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

        // A lair's ability changes a building and has no footprint; that of the hatchery has.
        var sides = type.TechAlias.Append(type.UnitAlias).Select(_types.GetValueOrDefault).Prepend(type)
            .Select(state => state is null ? 0 : Sides(state.AbilityId)).FirstOrDefault(sides => sides > 0);
        return sides == WithAddOn ? Footprint.Two : Footprint.OfSide(sides) ?? Footprint.OfNeutral((int)type.UnitId);
    }

    private int Sides(uint ability) =>
        _abilities.GetValueOrDefault(ability) is { FootprintRadius: > 0 and < 10 } known
            ? (int)(known.FootprintRadius * 2)
            : 0;
}
