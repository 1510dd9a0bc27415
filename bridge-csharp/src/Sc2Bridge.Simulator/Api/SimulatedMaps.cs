using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Api;

/// <summary>The maps, with the names that clients use.</summary>
internal static class SimulatedMaps
{
    /// <summary>A sentence with the names of all maps.</summary>
    public static string Known => $"The simulated game has: {string.Join(", ", GameMap.All.Select(m => m.Name))}.";

    /// <summary>The response to available_maps.</summary>
    public static ResponseAvailableMaps List()
    {
        var maps = new ResponseAvailableMaps();
        maps.LocalMapPaths.AddRange(GameMap.All.Select(m => m.FileName));
        maps.BattlenetMapNames.AddRange(GameMap.All.Select(m => m.Name));
        return maps;
    }

    /// <summary>Answers a request to save a map, but saves nothing: the simulated game has only its own maps.</summary>
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
