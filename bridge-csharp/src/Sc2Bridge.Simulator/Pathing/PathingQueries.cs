using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Simulator.Pathing;

/// <summary>Answers queries for the distance from a point or unit to a point.</summary>
public static class PathingQueries
{
    // More queries at once would block the game for many seconds.
    private const int MostAtOnce = 10_000;

    /// <summary>Refuses a request with too many queries.</summary>
    /// <param name="query">A client's request.</param>
    /// <exception cref="RefusedException">It has too many queries.</exception>
    public static void CheckCount(RequestQuery query)
    {
        ArgumentNullException.ThrowIfNull(query);
        if (query.Pathing.Count > MostAtOnce)
        {
            throw new RefusedException($"{query.Pathing.Count} pathing queries are too many: send at most {MostAtOnce} in a request");
        }
    }

    /// <summary>Whether a point is present and has finite coordinates.</summary>
    /// <param name="place">A client's point.</param>
    public static bool IsPlace(Point2D? place) =>
        place is not null && float.IsFinite(place.X) && float.IsFinite(place.Y);

    /// <summary>The answer, in cells. As in the game, it has no distance if no route exists or the unit does not exist.</summary>
    /// <param name="asked">The query.</param>
    /// <param name="ways">Finds routes.</param>
    /// <param name="placeOf">Converts a client's point to 1/4096 of a cell.</param>
    /// <param name="unitOf">A unit's position, in 1/4096 of a cell, and whether it flies; null if the unit does not exist.</param>
    public static ResponseQueryPathing Answer(
        RequestQueryPathing asked,
        PathFinder ways,
        Func<Point2D, (int X, int Y)> placeOf,
        Func<ulong, (int X, int Y, bool Flies)?> unitOf)
    {
        ArgumentNullException.ThrowIfNull(asked);
        ArgumentNullException.ThrowIfNull(ways);
        ArgumentNullException.ThrowIfNull(placeOf);
        ArgumentNullException.ThrowIfNull(unitOf);
        var answer = new ResponseQueryPathing();
        if (!IsPlace(asked.EndPos) || Start(asked, placeOf, unitOf) is not { } from)
        {
            return answer;
        }

        var to = placeOf(asked.EndPos);
        if (from.Flies)
        {
            answer.Distance = Geometry.Length(to.X - from.X, to.Y - from.Y) / (float)Geometry.Cell;
        }
        else if (ways.Distance(from.X, from.Y, to.X, to.Y) is > 0 and var distance)
        {
            answer.Distance = distance / (float)Geometry.Cell;
        }

        return answer;
    }

    private static (int X, int Y, bool Flies)? Start(
        RequestQueryPathing asked,
        Func<Point2D, (int X, int Y)> placeOf,
        Func<ulong, (int X, int Y, bool Flies)?> unitOf)
    {
        switch (asked.StartCase)
        {
            case RequestQueryPathing.StartOneofCase.StartPos when IsPlace(asked.StartPos):
                var (x, y) = placeOf(asked.StartPos);
                return (x, y, false);
            case RequestQueryPathing.StartOneofCase.UnitTag:
                return unitOf(asked.UnitTag);
            default:
                return null;
        }
    }
}
