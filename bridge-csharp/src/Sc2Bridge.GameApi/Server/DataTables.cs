using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>Selects the tables of the game's data that a client requests.</summary>
public static class DataTables
{
    /// <summary>Copies the requested tables.</summary>
    /// <param name="all">All tables.</param>
    /// <param name="request">The client's request.</param>
    public static ResponseData Select(ResponseData all, RequestData request)
    {
        ArgumentNullException.ThrowIfNull(all);
        ArgumentNullException.ThrowIfNull(request);
        var data = new ResponseData();
        data.Abilities.AddRange(request.AbilityId ? all.Abilities : []);
        data.Units.AddRange(request.UnitTypeId ? all.Units : []);
        data.Upgrades.AddRange(request.UpgradeId ? all.Upgrades : []);
        data.Buffs.AddRange(request.BuffId ? all.Buffs : []);
        data.Effects.AddRange(request.EffectId ? all.Effects : []);
        return data;
    }
}
