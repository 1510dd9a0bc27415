using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Simulator.Pathing;

/// <summary>Answers how far it is from a place or a unit to a place.</summary>
public static class PathingQueries
{
    // More at once would hold the game up for many seconds.
    private const int MostAtOnce = 10_000;

    /// <summary>Refuses a query that asks for too many ways.</summary>
    /// <param name="query">What a client asks.</param>
    /// <exception cref="RefusedException">It does.</exception>
    public static void CheckCount(RequestQuery query)
    {
        ArgumentNullException.ThrowIfNull(query);
        if (query.Pathing.Count > MostAtOnce)
        {
            throw new RefusedException($"Too many pathing queries at once: at most {MostAtOnce}");
        }
    }

    /// <summary>Whether a place is one: it is there, and has numbers.</summary>
    /// <param name="place">What a client sent.</param>
    public static bool IsPlace(Point2D? place) =>
        place is not null && float.IsFinite(place.X) && float.IsFinite(place.Y);

    /// <summary>
    /// The answer, in cells; as the game has it, without a distance where there is no way, or no such unit.
    /// </summary>
    /// <param name="asked">The question.</param>
    /// <param name="ways">Finds ways.</param>
    /// <param name="placeOf">A client's place, in 1/4096 of a cell.</param>
    /// <param name="unitOf">Where a unit is, in 1/4096 of a cell, and whether it flies; null for no such unit.</param>
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
