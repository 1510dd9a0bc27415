using SC2APIProtocol;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Api;

/// <summary>The maps as clients name them.</summary>
internal static class SimulatedMaps
{
    /// <summary>A sentence with every map's name.</summary>
    public static string Known => $"The simulated game has: {string.Join(", ", GameMap.All.Select(m => m.Name))}.";

    /// <summary>A map by its name or by the path of its file, as people write them; null where there is none.</summary>
    public static GameMap? Find(string name) => GameMap.Find(name);

    /// <summary>The answer to which maps there are.</summary>
    public static ResponseAvailableMaps List()
    {
        var maps = new ResponseAvailableMaps();
        maps.LocalMapPaths.AddRange(GameMap.All.Select(m => m.FileName));
        maps.BattlenetMapNames.AddRange(GameMap.All.Select(m => m.Name));
        return maps;
    }
}
