using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Streaming;

/// <summary>Which of the game's requests an agent may make.</summary>
internal static class GameRequestRules
{
    /// <summary>The units and points that a request in flight may ask about for each place that it takes.</summary>
    public const int AskedPerPlace = 625;

    /// <summary>The most units and points that one query may ask about. The simulated game has this limit for pathing alone.</summary>
    public const int MostAsked = 10_000;

    /// <summary>
    /// The same for a client that may not play. cpp-sc2's search for expansions, the longest query of common libraries,
    /// asks about fewer than 2,000.
    /// </summary>
    public const int MostAskedByWatchers = 2_500;

    /// <summary>Refuses what it may not ask.</summary>
    /// <param name="request">What it asks.</param>
    /// <param name="perspective">Whose game.</param>
    /// <param name="match">The match that runs, if one does.</param>
    /// <param name="apart">Whether sides are kept apart: an agent may see its own side only.</param>
    /// <param name="mayNotPlay">Whether the client may not play.</param>
    /// <exception cref="RequestRefusedException">With the reason and what to do instead.</exception>
    public static void Check(CallGameRequest request, uint perspective, MatchDescription? match, bool apart, bool mayNotPlay)
    {
        switch (request.Request?.RequestCase ?? Kind.None)
        {
            case Kind.None:
                throw new RequestRefusedException(StatusCode.InvalidArgument, "the request holds none of the game's requests: set one");
            case Kind.Observation:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "an observation that the bridge did not ask for would take events from the others: "
                    + "subscribe instead");
            case Kind.Action:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "actions go with the frames, so that they are done at their step: subscribe with can_act, and send "
                    + "them as PlayRequest.actions");
            case Kind.Debug when !OnlyDraws(request.Request!.Debug):
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "debug commands would change the match for everyone: only 'draw' is let through");
            case Kind.SaveReplay when apart:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    "a replay holds what every side did, and the sides of this match are kept apart: "
                    + "--open-perspectives lets agents save one");
            case Kind.Query when (Asked(request.Request!.Query), mayNotPlay ? MostAskedByWatchers : MostAsked) is var (asked, most) && asked > most:
                throw new RequestRefusedException(
                    StatusCode.InvalidArgument,
                    $"the query asks about {asked} units and points: ask about {most} at most in one query");
            case Kind.CreateGame or Kind.JoinGame or Kind.LeaveGame or Kind.RestartGame or Kind.Step or Kind.Quit
                or Kind.StartReplay or Kind.QuickLoad or Kind.MapCommand:
                throw new RequestRefusedException(
                    StatusCode.PermissionDenied,
                    $"the request {request.Request!.RequestCase} would change the match for everyone: "
                    + "only the bridge makes it");
        }

        if (GamePath.Outside(request.Request!) is { } path)
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
    /// The roles that a request takes: watch if it only reads, control if the game downloads files for it, else play.
    /// </summary>
    public static Roles RolesFor(CallGameRequest request) =>
        Downloads(request) ? Roles.Control
        : request.Request?.RequestCase is null or Kind.None or Kind.Query or Kind.GameInfo or Kind.Data or Kind.Ping
            or Kind.AvailableMaps or Kind.ReplayInfo ? Roles.Watch
        : Roles.Play;

    /// <summary>The places that a request takes in a <see cref="RequestWindow"/>.</summary>
    public static int PlacesFor(SC2APIProtocol.Request request) =>
        request.Query is { } query ? Math.Max(1, (Asked(query) + AskedPerPlace - 1) / AskedPerPlace) : 1;

    /// <summary>The request as the beginning of a sentence.</summary>
    public static string NameOf(CallGameRequest request) =>
        $"the request {request.Request?.RequestCase}{(Downloads(request) ? " with download_data" : "")}";

    /// <summary>The match that is asked about is the one that runs.</summary>
    /// <exception cref="RequestRefusedException">FAILED_PRECONDITION, NOT_FOUND.</exception>
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

    private static int Asked(RequestQuery query) => query.Pathing.Count + query.Abilities.Count + query.Placements.Count;

    private static bool OnlyDraws(SC2APIProtocol.RequestDebug debug) =>
        debug.Debug.All(command => command.CommandCase == SC2APIProtocol.DebugCommand.CommandOneofCase.Draw);
}
