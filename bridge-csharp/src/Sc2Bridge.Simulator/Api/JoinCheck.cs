using SC2APIProtocol;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Whether a client can join as it asks.</summary>
internal static class JoinCheck
{
    /// <summary>Why it cannot, or null.</summary>
    /// <param name="request">What it asks.</param>
    /// <param name="draft">The game that was created in this process; null where it would join another
    /// process's.</param>
    public static (JoinError Error, string Details)? Check(RequestJoinGame request, GameDraft? draft)
    {
        if (request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.None)
        {
            return (JoinError.MissingParticipation, "Give race, or observed_player_id (0: all, N: as player N sees).");
        }

        if (MissingInterface(request.Options) is { } missing)
        {
            return (JoinError.MissingOptions, missing);
        }

        if (UnsupportedInterface(request.Options) is { } unsupported)
        {
            return (JoinError.FeatureUnsupported, unsupported);
        }

        var observes = request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.ObservedPlayerId;
        if (draft is null)
        {
            return observes
                ? (JoinError.FeatureUnsupported, "Only a participant can join another process's game.")
                : !HasPorts(request)
                ? (JoinError.MissingPorts, "No game was created here: give server_ports and client_ports.")
                : null;
        }

        if (observes)
        {
            return draft.Participants.Length > 0
                ? (JoinError.FeatureUnsupported, "An observer can join only a game of computers.")
                : request.ObservedPlayerId > draft.Players
                ? (JoinError.InvalidObservedPlayerId, $"There is no player {request.ObservedPlayerId}; 0 sees all.")
                : null;
        }

        return draft.Participants.Length == 0
            ? (JoinError.GameFull, "The game has no place for a participant: join with observed_player_id.")
            : draft.Participants.Length == 2 && !HasPorts(request)
            ? (JoinError.MissingPorts, "Two participants: give server_ports and client_ports, both clients the same.")
            : null;
    }

    /// <summary>What is missing from a client's choice of interfaces, or null.</summary>
    public static string? MissingInterface(InterfaceOptions? options) =>
        options is null || !(options.Raw || options.Score || UnsupportedInterface(options) is not null)
            ? "Give options: raw, score or both."
            : null;

    /// <summary>Why a choice of interfaces cannot be answered, or null.</summary>
    public static string? UnsupportedInterface(InterfaceOptions options) =>
        options.FeatureLayer is not null || options.Render is not null
            ? "The simulated game answers raw and score, no feature layers and no rendering."
            : null;

    private static bool HasPorts(RequestJoinGame request) =>
        IsPort(request.ServerPorts) && request.ClientPorts.Count == 1 && IsPort(request.ClientPorts[0]);

    private static bool IsPort(PortSet? ports) => ports is { GamePort: > 0 and <= 65535, BasePort: > 0 and <= 65535 };
}
