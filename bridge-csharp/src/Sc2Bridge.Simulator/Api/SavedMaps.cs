using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Simulator.Api;

/// <summary>
/// Answers clients that save maps. The simulated game plays its own, hence it keeps none and writes no file.
/// </summary>
internal static class SavedMaps
{
    /// <summary>As if the map were saved.</summary>
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
