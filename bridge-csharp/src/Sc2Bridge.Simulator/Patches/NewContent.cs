using SC2APIProtocol;
using Sc2Bridge.Simulator.World;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Simulator.Patches;

/// <summary>Adds content that a new version may have: unit types, abilities, upgrades, buffs, effects, alerts, larger maps.</summary>
/// <param name="patch">The version.</param>
/// <param name="plays">
/// Whether the client plays. Then its own side has nothing new, because it would have to control units that it does not know.
/// </param>
/// <param name="random">Chooses what is new in this response.</param>
internal sealed class NewContent(Patch patch, bool plays, WorldRandom random)
{
    private const ulong FirstTag = 1ul << 42;
    private WorldRandom _random = random;

    /// <summary>Adds the new content to a response.</summary>
    public void AddTo(Response response)
    {
        if (response.GameInfo?.StartRaw is { } start)
        {
            start.MapSize.X += patch.MoreColumns;
            start.MapSize.Y += patch.MoreRows;
            start.PathingGrid = Enlarge(start.PathingGrid);
            start.TerrainHeight = Enlarge(start.TerrainHeight);
            start.PlacementGrid = Enlarge(start.PlacementGrid);
        }

        for (var id = patch.FirstId; id < patch.FirstId + patch.NewIds; id++)
        {
            AddTo(response.Data ?? new ResponseData(), (uint)id);
            AddTo(response.Observation?.Observation?.RawData ?? new ObservationRaw(), (uint)id);
            foreach (var unit in plays ? [] : response.Query?.Abilities ?? [])
            {
                unit.Abilities.Add(new AvailableAbility { AbilityId = id, RequiresPoint = OneIn(2) });
            }
        }

        foreach (var type in response.Data?.Units ?? [])
        {
            type.Attributes.AddRange(OneIn(20) ? [(Attribute)patch.NewValue(UnitTypeData.Descriptor.FindFieldByName("attributes").EnumType)] : []);
        }

        if (response.Observation?.Observation is { } seen && OneIn(8))
        {
            seen.Alerts.Add((Alert)patch.NewValue(Observation.Descriptor.FindFieldByName("alerts").EnumType));
            response.Observation.ActionErrors.AddRange(
                plays || patch.NewIds == 0 ? [] : [new ActionError { AbilityId = (ulong)patch.FirstId, Result = ActionResult.Error }]);
        }

        if (response.Observation?.Observation?.RawData?.MapState is { } state)
        {
            state.Visibility = Enlarge(state.Visibility);
            state.Creep = Enlarge(state.Creep);
        }
    }

    private static void AddTo(ResponseData data, uint id)
    {
        var name = $"New{id}";
        Add(data.Units, last => new UnitTypeData(last) { UnitId = id, Name = name, AbilityId = id, Available = true });
        Add(data.Abilities, last => new AbilityData(last) { AbilityId = id, LinkName = name, FriendlyName = name, Available = true });
        Add(data.Upgrades, last => new UpgradeData(last) { UpgradeId = id, Name = name, AbilityId = id });
        Add(data.Buffs, last => new BuffData(last) { BuffId = id, Name = name });
        Add(data.Effects, last => new EffectData(last) { EffectId = id, Name = name });

        static void Add<T>(IList<T> rows, Func<T, T> make)
        {
            if (rows.Count > 0) // The client asked for this table.
            {
                rows.Add(make(rows[^1]));
            }
        }
    }

    private void AddTo(ObservationRaw raw, uint id)
    {
        foreach (var unit in raw.Units)
        {
            unit.BuffIds.AddRange(OneIn(40) ? [id] : []);
            unit.Orders.AddRange(!plays && unit.Orders.Count > 0 && OneIn(10) ? [new UnitOrder { AbilityId = id, TargetUnitTag = unit.Tag }] : []);
        }

        // The copied unit is chosen by its tag. So the choice changes only if that unit dies or leaves the sight.
        var choice = (ulong)patch.Choose($"unit {id}", int.MaxValue);
        var known = raw.Units.Where(unit => unit.Tag < FirstTag && (!plays || unit.Alliance != Alliance.Self));
        if (known.MinBy(unit => (unit.Tag * 0x9E3779B97F4A7C15) ^ choice) is { } like)
        {
            var place = new Point2D { X = like.Pos.X, Y = like.Pos.Y };
            raw.Units.Add(new SC2APIProtocol.Unit(like) { Tag = FirstTag | id, UnitType = id, Passengers = { new PassengerUnit { Tag = id, UnitType = id } } });
            raw.Effects.Add(new SC2APIProtocol.Effect { EffectId = id, Pos = { place }, Alliance = like.Alliance, Owner = like.Owner, Radius = 2 });
        }

        raw.Player?.UpgradeIds.AddRange(plays ? [] : [id]);
    }

    private ImageData? Enlarge(ImageData? image) => image is null ? null : LargerImages.Pad(image, patch.MoreColumns, patch.MoreRows);

    private bool OneIn(int limit) => _random.Next(limit) == 0;
}
