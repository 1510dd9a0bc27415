using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Streaming;

/// <summary>Checks which requests an agent may send to the game.</summary>
internal static class GameRequestRules
{
    /// <summary>How many units and points of a query occupy one place in a <see cref="RequestWindow"/>.</summary>
    public const int AskedPerPlace = 625;

    /// <summary>The most units and points in one query. The simulated game allows this many pathing queries in one request.</summary>
    public const int MostAsked = 10_000;

    /// <summary>
    /// The same limit for a client that may not play. The longest query of common libraries, cpp-sc2's search for expansions,
    /// has fewer than 2,000 points.
    /// </summary>
    public const int MostAskedByWatchers = 2_500;

    /// <summary>Refuses a request that is not allowed.</summary>
    /// <param name="request">The request.</param>
    /// <param name="perspective">The side whose game gets the request.</param>
    /// <param name="match">The running match; null if no match runs.</param>
    /// <param name="sidesApart">Whether sides are kept apart, so that an agent may see only its own side.</param>
    /// <param name="lacksPlayRole">Whether the client may not play.</param>
    /// <exception cref="RequestRefusedException">The reason, and what to do instead.</exception>
    public static void Check(CallGameRequest request, uint perspective, MatchDescription? match, bool sidesApart, bool lacksPlayRole)
    {
        switch (request.Request?.RequestCase ?? Kind.None)
        {
            case Kind.None:
                throw new RequestRefusedException(StatusCode.InvalidArgument, "the request is empty: set one of the game's requests");
            case Kind.Observation:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "a client's own observation request would take events away from other clients: "
                    + "subscribe instead");
            case Kind.Action:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "actions must be sent on the subscription, so that they belong to a step: subscribe with can_act, and send "
                    + "them as PlayRequest.actions");
            case Kind.Debug when !OnlyDraws(request.Request!.Debug):
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "debug commands would change the match for everyone: only 'draw' is allowed");
            case Kind.SaveReplay when sidesApart:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "a replay contains the actions of every side, and the sides of this match are kept apart: "
                    + "--open-perspectives lets agents save a replay");
            case Kind.Query when (CountAsked(request.Request!.Query), lacksPlayRole ? MostAskedByWatchers : MostAsked) is var (asked, most) && asked > most:
                throw new RequestRefusedException(
                    StatusCode.InvalidArgument,
                    $"the query asks about {asked} units and points: ask about {most} at most in one query");
            case Kind.CreateGame or Kind.JoinGame or Kind.LeaveGame or Kind.RestartGame or Kind.Step or Kind.Quit
                or Kind.StartReplay or Kind.QuickLoad or Kind.MapCommand:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    $"the request {request.Request!.RequestCase} would change the match for everyone: "
                    + "only the bridge may send it");
        }

        if (GamePath.FindOutsideField(request.Request!) is { } path)
        {
            throw new RequestRefusedException(
                StatusCode.PermissionDenied, $"{path} leaves the game's folders: give a path below them, without '..'");
        }

        CheckMatch(request.MatchId, match);
        if (!match!.Perspectives.Contains(perspective))
        {
            throw SubscriptionRequest.NotOffered(perspective, match);
        }
    }

    /// <summary>
    /// The role that a request requires: control if the game downloads files, watch if the request only reads, otherwise play.
    /// </summary>
    public static Roles RolesFor(CallGameRequest request) =>
        Downloads(request) ? Roles.Control
        : request.Request?.RequestCase is null or Kind.None or Kind.Query or Kind.GameInfo or Kind.Data or Kind.Ping
            or Kind.AvailableMaps or Kind.ReplayInfo ? Roles.Watch
        : Roles.Play;

    /// <summary>The number of places that a request occupies in a <see cref="RequestWindow"/>.</summary>
    public static int PlacesFor(SC2APIProtocol.Request request) =>
        request.Query is { } query ? Math.Max(1, (CountAsked(query) + AskedPerPlace - 1) / AskedPerPlace) : 1;

    /// <summary>The request's name, as the start of an error message.</summary>
    public static string NameOf(CallGameRequest request) =>
        $"the request {request.Request?.RequestCase}{(Downloads(request) ? " with download_data" : "")}";

    /// <summary>Checks that the requested match runs.</summary>
    /// <exception cref="RequestRefusedException">FAILED_PRECONDITION: no match runs. NOT_FOUND: another match runs.</exception>
    public static void CheckMatch(string wanted, MatchDescription? running)
    {
        if (running is null)
        {
            throw new RequestRefusedException(StatusCode.FailedPrecondition, "no match runs yet: wait for one with Describe");
        }

        if (SubscriptionRequest.UnknownMatch(wanted, running) is { } unknown)
        {
            throw unknown;
        }
    }

    private static bool Downloads(CallGameRequest request) => request.Request?.ReplayInfo is { DownloadData: true };

    private static int CountAsked(RequestQuery query) => query.Pathing.Count + query.Abilities.Count + query.Placements.Count;

    private static bool OnlyDraws(SC2APIProtocol.RequestDebug debug) =>
        debug.Debug.All(command => command.CommandCase == SC2APIProtocol.DebugCommand.CommandOneofCase.Draw);
}
