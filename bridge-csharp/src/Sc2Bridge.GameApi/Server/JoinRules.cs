using SC2APIProtocol;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.GameApi;

/// <summary>The numbers of clients and players in a game that was created.</summary>
/// <param name="Participants">How many API clients play.</param>
/// <param name="Players">The number of all players.</param>
public readonly record struct GameSeats(int Participants, int Players);

/// <summary>Checks a client's request to join a game.</summary>
public static class JoinRules
{
    /// <summary>Returns why the client cannot join; null if it can join.</summary>
    /// <param name="request">The client's request.</param>
    /// <param name="seats">The seats of the game that was created in this process; null if the client wants to join another process's
    /// game.</param>
    /// <param name="unsupported">Returns why the requested interfaces are not supported; null if they are supported.</param>
    /// <exception cref="RefusedException">This process has no game to join, and the request has no ports of another game.</exception>
    public static (JoinError Error, string Details)? Check(
        RequestJoinGame request, GameSeats? seats, Func<InterfaceOptions, string?> unsupported)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(unsupported);
        if (seats is null && !HasPorts(request))
        {
            throw new RefusedException("No game to join: create_game first, or give server_ports and client_ports.");
        }

        if (request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.None)
        {
            return (JoinError.MissingParticipation, "Give race, or observed_player_id (0: all, N: as player N sees).");
        }

        if (MissingInterface(request.Options) is { } missing)
        {
            return (JoinError.MissingOptions, missing);
        }

        if (unsupported(request.Options) is { } why)
        {
            return (JoinError.FeatureUnsupported, why);
        }

        var observes = request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.ObservedPlayerId;
        return (observes, seats) switch
        {
            (true, null) => (JoinError.FeatureUnsupported, "Only a participant can join another process's game."),
            (true, { Participants: > 0 }) =>
                (JoinError.FeatureUnsupported, "An observer can join only a game of computers."),
            (true, { } known) when request.ObservedPlayerId > known.Players =>
                (JoinError.InvalidObservedPlayerId, $"There is no player {request.ObservedPlayerId}; 0 sees all."),
            (true, _) => null,
            (false, { Participants: 0 }) =>
                (JoinError.GameFull, "The game has no place for a participant: join with observed_player_id."),
            (false, { Participants: 2 }) when !HasPorts(request) => (
                JoinError.MissingPorts,
                "Two participants: both clients must give the same server_ports and client_ports."),
            _ => null,
        };
    }

    /// <summary>Returns an error if a request has no choice of interfaces; otherwise null. A choice of no interface is valid and gives small
    /// observations (PySC2's observer_test.py).</summary>
    /// <param name="options">The client's choice; null if the request has no choice.</param>
    public static string? MissingInterface(InterfaceOptions? options) =>
        options is null ? "Give options: raw, score, both or neither." : null;

    private static bool HasPorts(RequestJoinGame request) =>
        IsPort(request.ServerPorts) && request.ClientPorts.Count == 1 && IsPort(request.ClientPorts[0]);

    private static bool IsPort(PortSet? ports) => ports is { GamePort: > 0 and <= 65535, BasePort: > 0 and <= 65535 };
}
