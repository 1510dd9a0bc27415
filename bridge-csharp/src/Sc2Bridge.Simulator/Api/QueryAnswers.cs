using SC2APIProtocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Answers queries: the length of ways.</summary>
internal static class QueryAnswers
{
    /// <summary>More at once would hold the game up for seconds.</summary>
    private const int MostPathings = 1000;

    /// <exception cref="RefusedException">The query asks for something else, or for too much.</exception>
    public static ResponseQuery Answer(GameWorld world, RequestQuery request)
    {
        if (request.Abilities.Count > 0 || request.Placements.Count > 0)
        {
            throw new RefusedException("The simulated game answers pathing queries only.");
        }

        if (request.Pathing.Count > MostPathings)
        {
            throw new RefusedException($"Too many pathing queries at once: at most {MostPathings}.");
        }

        var response = new ResponseQuery();
        foreach (var pathing in request.Pathing)
        {
            response.Pathing.Add(new ResponseQueryPathing { Distance = Distance(world, pathing) });
        }

        return response;
    }

    private static float Distance(GameWorld world, RequestQueryPathing pathing)
    {
        if (pathing.EndPos is not { } end || !float.IsFinite(end.X) || !float.IsFinite(end.Y))
        {
            return 0;
        }

        switch (pathing.StartCase)
        {
            case RequestQueryPathing.StartOneofCase.StartPos:
                return world.Map.PathLength(pathing.StartPos.X, pathing.StartPos.Y, end.X, end.Y);
            case RequestQueryPathing.StartOneofCase.UnitTag when world.SlotOf(pathing.UnitTag) is >= 0 and var slot:
                ref var unit = ref world.Units[slot];
                return world.Map.PathLength(unit.X / (float)Geometry.Cell, unit.Y / (float)Geometry.Cell, end.X, end.Y);
            default:
                return 0;
        }
    }
}
