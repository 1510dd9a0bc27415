using System.Globalization;
using SC2APIProtocol;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Foxglove;

/// <summary>Looks up the properties of unit types.</summary>
/// <param name="data">The game's tables; null if unknown.</param>
internal sealed class UnitTypes(ResponseData? data)
{
    private readonly Dictionary<uint, UnitTypeData> _types =
        (data?.Units ?? []).GroupBy(type => type.UnitId).ToDictionary(same => same.Key, same => same.First());

    /// <summary>The unit type's name, or its number if the name is unknown.</summary>
    public string NameOf(uint type) => _types.TryGetValue(type, out var known) && known.Name.Length > 0
        ? known.Name : type.ToString(CultureInfo.InvariantCulture);

    public bool IsStructure(uint type) => _types.TryGetValue(type, out var known) && known.Attributes.Contains(Attribute.Structure);

    public bool IsMineralField(uint type) => _types.TryGetValue(type, out var known) && known.HasMinerals;

    public bool IsGeyser(uint type) => _types.TryGetValue(type, out var known) && known.HasVespene;
}
