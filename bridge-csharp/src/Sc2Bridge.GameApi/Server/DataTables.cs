using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>Answers which tables of the game's data a client asks for.</summary>
public static class DataTables
{
    /// <summary>The tables that are asked for.</summary>
    /// <param name="all">Everything.</param>
    /// <param name="request">What a client sent.</param>
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
