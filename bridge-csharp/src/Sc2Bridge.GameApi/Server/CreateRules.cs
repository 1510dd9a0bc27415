using SC2APIProtocol;
using CreateError = SC2APIProtocol.ResponseCreateGame.Types.Error;

namespace Sc2Bridge.GameApi;

/// <summary>Whether a game can be created as a client asks.</summary>
public static class CreateRules
{
    /// <summary>The map that is asked for, by its name or its file's path; empty where none is.</summary>
    /// <param name="request">What the client sent.</param>
    public static string MapOf(RequestCreateGame request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.MapCase == RequestCreateGame.MapOneofCase.BattlenetMapName
            ? request.BattlenetMapName
            : request.LocalMap?.MapPath ?? "";
    }

    /// <summary>Why it cannot, or null.</summary>
    /// <param name="request">What the client sent.</param>
    /// <param name="isKnown">Whether there is a map of a name.</param>
    /// <param name="known">The maps that there are, as a sentence.</param>
    public static (CreateError Error, string Details)? Check(
        RequestCreateGame request, Func<string, bool> isKnown, string known)
    {
        ArgumentNullException.ThrowIfNull(isKnown);
        var map = MapOf(request);
        if (map.Length == 0)
        {
            return request.LocalMap?.HasMapData == true
                ? (CreateError.InvalidMapData, $"Give map_path beside map_data. {known}")
                : (CreateError.MissingMap, "Give local_map.map_path or battlenet_map_name.");
        }

        if (!isKnown(map))
        {
            var wrong = request.LocalMap is null ? CreateError.InvalidMapName : CreateError.InvalidMapPath;
            return (wrong, $"Map '{map}' not found. {known}");
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
