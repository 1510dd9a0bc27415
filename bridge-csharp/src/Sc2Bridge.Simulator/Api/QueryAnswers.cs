using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Answers queries, in the order of the questions.</summary>
internal static class QueryAnswers
{
    /// <summary>More ways at once would hold the game up for many seconds.</summary>
    private const int MostPathings = 10_000;

    /// <summary>Answers all of a request.</summary>
    /// <param name="session">Whose.</param>
    /// <param name="request">What it asks.</param>
    /// <param name="left">The client has gone.</param>
    /// <exception cref="RefusedException">It asks for too much.</exception>
    /// <exception cref="OperationCanceledException">The client has gone.</exception>
    public static ResponseQuery Answer(Session session, RequestQuery request, CancellationToken left)
    {
        if (request.Pathing.Count > MostPathings)
        {
            throw new RefusedException($"Too many pathing queries at once: at most {MostPathings}");
        }

        var (world, window) = (session.Match.World, session.Window);
        var response = new ResponseQuery();
        response.Pathing.AddRange(Each(request.Pathing, asked => Pathing(world, window, asked), left));
        response.Abilities.AddRange(Each(
            request.Abilities,
            asked => Abilities(world, session.Viewer, asked, request.IgnoreResourceRequirements),
            left));
        response.Placements.AddRange(Each(
            request.Placements,
            asked => new ResponseQueryBuildingPlacement
            {
                Result = Place(world, session.Viewer, window, asked, request.IgnoreResourceRequirements),
            },
            left));
        return response;
    }

    private static IEnumerable<TAnswer> Each<TAsked, TAnswer>(
        IEnumerable<TAsked> all, Func<TAsked, TAnswer> answer, CancellationToken left) => all.Select(asked =>
    {
        left.ThrowIfCancellationRequested();
        return answer(asked);
    });

    private static ResponseQueryPathing Pathing(GameWorld world, MapWindow window, RequestQueryPathing asked)
    {
        var answer = new ResponseQueryPathing();
        if (asked.EndPos is not { } end || !IsPlace(end))
        {
            return answer;
        }

        var to = window.ToWorld(end.X, end.Y);
        (int X, int Y) from;
        switch (asked.StartCase)
        {
            case RequestQueryPathing.StartOneofCase.StartPos when IsPlace(asked.StartPos):
                from = window.ToWorld(asked.StartPos.X, asked.StartPos.Y);
                break;
            case RequestQueryPathing.StartOneofCase.UnitTag when world.Find(asked.UnitTag) is { } unit:
                from = (unit.X, unit.Y);
                if (unit.Flying)
                {
                    answer.Distance = Geometry.Length(to.X - from.X, to.Y - from.Y) / (float)Geometry.Cell;
                    return answer;
                }

                break;
            default:
                return answer;
        }

        // The game answers where there is no way by leaving the distance out.
        var distance = world.Ground.Ways.Distance(from.X, from.Y, to.X, to.Y);
        if (distance > 0)
        {
            answer.Distance = distance / (float)Geometry.Cell;
        }

        return answer;
    }

    private static ResponseQueryAvailableAbilities Abilities(
        GameWorld world, int viewer, RequestQueryAvailableAbilities asked, bool ignoreResources)
    {
        var answer = new ResponseQueryAvailableAbilities { UnitTag = asked.UnitTag };
        if (world.Find(asked.UnitTag) is { } unit && unit.Owner == viewer)
        {
            answer.UnitTypeId = (uint)unit.Type.Id;
            answer.Abilities.AddRange(AvailableAbilities.Of(world, unit, ignoreResources));
        }

        return answer;
    }

    private static ActionResult Place(
        GameWorld world, int viewer, MapWindow window, RequestQueryBuildingPlacement asked, bool ignoreResources)
    {
        if (viewer == 0 || asked.TargetPos is not { } at || !IsPlace(at)
            || TechTree.FindAbility(asked.AbilityId) is not { Product: > 0 } ability)
        {
            return ActionResult.Error;
        }

        var player = world.PlayerOf(viewer);
        if (!ignoreResources && AbilityKinds.Of(ability) != AbilityKind.Cast && TechTree.FindUnit(ability.Product) is { } type
            && !player.CanPay(type.Minerals, type.Vespene))
        {
            return player.Minerals < type.Minerals ? ActionResult.NotEnoughMinerals : ActionResult.NotEnoughVespene;
        }

        var (x, y) = window.ToWorld(at.X, at.Y);
        return Placement.Query(world, player, ability, x, y, world.Find(asked.PlacingUnitTag));
    }

    private static bool IsPlace(Point2D? place) =>
        place is not null && float.IsFinite(place.X) && float.IsFinite(place.Y);
}
