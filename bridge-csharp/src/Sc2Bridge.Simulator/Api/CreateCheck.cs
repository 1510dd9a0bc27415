using SC2APIProtocol;
using Sc2Bridge.Simulator.World;
using CreateError = SC2APIProtocol.ResponseCreateGame.Types.Error;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Whether a game can be created and joined as asked.</summary>
internal static class CreateCheck
{
    public static IEnumerable<PlayerSetup> Computers(RequestCreateGame request) =>
        request.PlayerSetup.Where(p => p.Type == PlayerType.Computer);

    public static (CreateError? Error, string Details, GameMap? Map) Check(RequestCreateGame request)
    {
        var name = request.MapCase switch
        {
            RequestCreateGame.MapOneofCase.LocalMap => request.LocalMap.MapPath,
            RequestCreateGame.MapOneofCase.BattlenetMapName => request.BattlenetMapName,
            _ => "",
        };
        if (name.Length == 0)
        {
            var data = request.LocalMap?.HasMapData == true;
            return data
                ? (CreateError.InvalidMapData,
                    "The simulated game has maps of its own: give map_path instead of map_data.", null)
                : (CreateError.MissingMap, "Give local_map.map_path or battlenet_map_name.", null);
        }

        if (MapDescription.Find(name) is not { } description)
        {
            var known = string.Join(", ", MapDescription.All.Select(m => m.Name));
            var wrong = request.LocalMap is null ? CreateError.InvalidMapName : CreateError.InvalidMapPath;
            return (wrong, $"Map '{name}' not found. The simulated game has: {known}.", null);
        }

        if (request.PlayerSetup.Count == 0)
        {
            return (CreateError.MissingPlayerSetup,
                "Give player_setup: two computers, and an observer to join as.", null);
        }

        if (request.PlayerSetup.Any(p => p.Type == PlayerType.Participant))
        {
            return (CreateError.InvalidPlayerSetup,
                "The simulated game is played by computers only, so far: no participants.", null);
        }

        var map = GameMap.Of(description);
        var computers = Computers(request).Count();
        return computers is 0 or 1 || computers > map.Starts.Length
            ? (CreateError.InvalidPlayerSetup,
                $"{description.Name} is for {map.Starts.Length} computers, not {computers}.", null)
            : (null, "", map);
    }

    public static (JoinError Error, string Details)? CheckJoin(RequestJoinGame request, RequestCreateGame? created)
    {
        if (created is null)
        {
            return (JoinError.LaunchError, "No game was created to join.");
        }

        if (request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.None)
        {
            return (JoinError.MissingParticipation, "Give observed_player_id: 0 sees all, N as player N does.");
        }

        if (request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.Race)
        {
            return (JoinError.GameFull, "The game has no place for a participant: join with observed_player_id.");
        }

        var players = Computers(created).Count();
        if (request.ObservedPlayerId > players)
        {
            return (JoinError.InvalidObservedPlayerId,
                $"There is no player {request.ObservedPlayerId} of {players}; 0 sees all.");
        }

        if (request.Options is null || !(request.Options.Raw || request.Options.Score || HasImages(request.Options)))
        {
            return (JoinError.MissingOptions, "Give options: raw, score or both.");
        }

        return HasImages(request.Options)
            ? (JoinError.FeatureUnsupported,
                "The simulated game answers raw and score, no feature layers and no rendering.")
            : null;
    }

    private static bool HasImages(InterfaceOptions options) =>
        options.FeatureLayer is not null || options.Render is not null;
}
