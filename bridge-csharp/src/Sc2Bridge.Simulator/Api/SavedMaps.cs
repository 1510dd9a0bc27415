using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Api;

/// <summary>
/// Takes maps into the temporary folder. The simulated game plays its own; what is saved is kept, not played.
/// </summary>
internal static class SavedMaps
{
    /// <summary>Saves a map.</summary>
    public static ResponseSaveMap Save(RequestSaveMap request, IGameFiles files)
    {
        var response = new ResponseSaveMap();
        if (!request.HasMapData || request.MapData.IsEmpty || request.MapPath.Length == 0
            || !files.WriteMap(request.MapPath, request.MapData.Span))
        {
            response.Error = ResponseSaveMap.Types.Error.InvalidMapData;
        }

        return response;
    }
}
