using SC2APIProtocol;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.GameApi;

/// <summary>Who can join a game that was created.</summary>
/// <param name="Participants">How many API clients play.</param>
/// <param name="Players">How many players there are.</param>
public readonly record struct GameSeats(int Participants, int Players);

/// <summary>Whether a client can join as it asks.</summary>
public static class JoinRules
{
    /// <summary>Why it cannot, or null.</summary>
    /// <param name="request">What it asks.</param>
    /// <param name="seats">Those of the game that was created in this process; null where it would join another
    /// process's.</param>
    /// <param name="unsupported">Why a choice of interfaces cannot be answered, or null.</param>
    /// <exception cref="RefusedException">There is no game to join, here or by ports.</exception>
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
                "Two participants: give server_ports and client_ports, both clients the same."),
            _ => null,
        };
    }

    /// <summary>What is missing from a client's choice of interfaces, or null; an empty choice is one, of cheap
    /// observations (PySC2's observer_test.py).</summary>
    /// <param name="options">What it sent, if anything.</param>
    public static string? MissingInterface(InterfaceOptions? options) =>
        options is null ? "Give options: raw, score, both or neither." : null;

    private static bool HasPorts(RequestJoinGame request) =>
        IsPort(request.ServerPorts) && request.ClientPorts.Count == 1 && IsPort(request.ClientPorts[0]);

    private static bool IsPort(PortSet? ports) => ports is { GamePort: > 0 and <= 65535, BasePort: > 0 and <= 65535 };
}
