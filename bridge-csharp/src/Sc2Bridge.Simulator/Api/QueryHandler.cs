using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Answers queries, in the order of the request.</summary>
internal static class QueryHandler
{
    /// <summary>Answers a request.</summary>
    /// <param name="session">The client's session.</param>
    /// <param name="request">The request.</param>
    /// <param name="left">Cancelled when the client disconnects.</param>
    /// <exception cref="RefusedException">The request has too many queries.</exception>
    /// <exception cref="OperationCanceledException">The client has disconnected.</exception>
    public static ResponseQuery Answer(Session session, RequestQuery request, CancellationToken left)
    {
        PathingQueries.CheckCount(request);
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

    private static ResponseQueryPathing Pathing(GameWorld world, MapWindow window, RequestQueryPathing asked) =>
        PathingQueries.Answer(
            asked,
            world.Ground.Ways,
            place => window.ToWorld(place.X, place.Y),
            tag => world.Find(tag) is { } unit ? (unit.X, unit.Y, unit.Flying) : null);

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
        if (viewer == 0 || asked.TargetPos is not { } at || !PathingQueries.IsPlace(at)
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
}
