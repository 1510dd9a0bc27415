using SC2APIProtocol;
using Sc2Bridge.V1;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Streaming;

/// <summary>Which of the game's requests an agent may make.</summary>
internal static class GameRequestRules
{
    /// <exception cref="RequestRefusedException">With the reason and what to do instead.</exception>
    public static void Check(GameRequest request, MatchDescription? match)
    {
        switch (request.Request?.RequestCase ?? Kind.None)
        {
            case Kind.None:
                throw Refused(StatusCode.InvalidArgument, "the request holds none of the game's requests: set one");
            case Kind.Observation:
                throw Refused(
                    StatusCode.PermissionDenied,
                    "an observation that the bridge did not ask for would take events from the others: "
                    + "subscribe instead");
            case Kind.Action:
                throw Refused(
                    StatusCode.PermissionDenied,
                    "actions go with the frames, so that they are done at their step: subscribe with plays, and send "
                    + "them as AgentMessage.actions");
            case Kind.Debug when !OnlyDraws(request.Request!.Debug):
                throw Refused(
                    StatusCode.PermissionDenied,
                    "debug commands would change the match for everyone: only 'draw' is let through");
            case Kind.CreateGame or Kind.JoinGame or Kind.LeaveGame or Kind.RestartGame or Kind.Step or Kind.Quit
                or Kind.StartReplay or Kind.QuickLoad or Kind.MapCommand:
                throw Refused(
                    StatusCode.PermissionDenied,
                    $"the request {request.Request!.RequestCase} would change the match for everyone: "
                    + "only the bridge makes it");
        }

        CheckMatch(request.Match, match);
        if (!match!.Perspectives.Contains(request.Perspective))
        {
            throw SubscriptionRequest.NotOffered(request.Perspective, match);
        }
    }

    /// <summary>The match that is asked about is the one that runs.</summary>
    /// <exception cref="RequestRefusedException">FAILED_PRECONDITION, NOT_FOUND.</exception>
    public static void CheckMatch(string wanted, MatchDescription? running)
    {
        if (running is null)
        {
            throw Refused(StatusCode.FailedPrecondition, "no match runs yet: wait for one with Describe");
        }

        if (SubscriptionRequest.UnknownMatch(wanted, running) is { } unknown)
        {
            throw unknown;
        }
    }

    private static bool OnlyDraws(SC2APIProtocol.RequestDebug debug) =>
        debug.Debug.All(command => command.CommandCase == SC2APIProtocol.DebugCommand.CommandOneofCase.Draw);

    private static RequestRefusedException Refused(uint code, string message) => new(code, message);
}
