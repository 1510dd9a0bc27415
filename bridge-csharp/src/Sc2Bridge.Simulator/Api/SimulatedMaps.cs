using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Api;

/// <summary>The maps as clients name them.</summary>
internal static class SimulatedMaps
{
    /// <summary>A sentence with every map's name.</summary>
    public static string Known => $"The simulated game has: {string.Join(", ", GameMap.All.Select(m => m.Name))}.";

    /// <summary>The answer to which maps there are.</summary>
    public static ResponseAvailableMaps List()
    {
        var maps = new ResponseAvailableMaps();
        maps.LocalMapPaths.AddRange(GameMap.All.Select(m => m.FileName));
        maps.BattlenetMapNames.AddRange(GameMap.All.Select(m => m.Name));
        return maps;
    }

    /// <summary>As if a client's map were saved: the simulated game plays its own, keeps none and writes no file.</summary>
    public static ResponseSaveMap Save(RequestSaveMap request)
    {
        var response = new ResponseSaveMap();
        if (!request.HasMapData || request.MapData.IsEmpty || !GamePath.IsBelow(request.MapPath))
        {
            response.Error = ResponseSaveMap.Types.Error.InvalidMapData;
        }

        return response;
    }
}
