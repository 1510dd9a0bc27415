using SC2APIProtocol;
using CreateError = SC2APIProtocol.ResponseCreateGame.Types.Error;

namespace Sc2Bridge.GameApi;

/// <summary>Checks a client's request to create a game.</summary>
public static class CreateRules
{
    /// <summary>Returns the name or the file path of the requested map; empty if the request names no map.</summary>
    /// <param name="request">The client's request.</param>
    public static string MapOf(RequestCreateGame request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.MapCase == RequestCreateGame.MapOneofCase.BattlenetMapName
            ? request.BattlenetMapName
            : request.LocalMap?.MapPath ?? "";
    }

    /// <summary>Returns why the game cannot be created; null if the request is valid.</summary>
    /// <param name="request">The client's request.</param>
    /// <param name="isKnown">Returns whether a map of this name exists.</param>
    /// <param name="availableMaps">The available maps, as a sentence.</param>
    public static (CreateError Error, string Details)? Check(
        RequestCreateGame request, Func<string, bool> isKnown, string availableMaps)
    {
        ArgumentNullException.ThrowIfNull(isKnown);
        var map = MapOf(request);
        if (map.Length == 0)
        {
            return request.LocalMap?.HasMapData == true
                ? (CreateError.InvalidMapData, $"Give map_path in addition to map_data. {availableMaps}")
                : (CreateError.MissingMap, "Give local_map.map_path or battlenet_map_name.");
        }

        if (!isKnown(map))
        {
            var error = request.LocalMap is null ? CreateError.InvalidMapName : CreateError.InvalidMapPath;
            return (error, $"Map '{map}' not found. {availableMaps}");
        }

        if (request.PlayerSetup.Count == 0)
        {
            return (CreateError.MissingPlayerSetup, "Give player_setup: one for each participant and computer.");
        }

        return request.PlayerSetup.All(player => player.Type == PlayerType.Observer)
            ? (CreateError.InvalidPlayerSetup, "Give a participant or a computer in player_setup.")
            : null;
    }
}
