using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.World;
using static SC2APIProtocol.ObserverAction;

namespace Sc2Bridge.Simulator.Api;

/// <summary>An observer's camera and perspective.</summary>
internal sealed class ObserverCamera(int viewer)
{
    private Func<GameWorld, (int X, int Y)?> _where = _ => null;

    /// <summary>The perspective: a player's id, or 0 for all players.</summary>
    public int Viewer { get; private set; } = viewer;

    /// <summary>A copy.</summary>
    public ObserverCamera Copy() => new(Viewer) { _where = _where };

    /// <summary>The camera's current position; null for the position at a game's start.</summary>
    public (int X, int Y)? In(GameWorld world) => _where(world);

    /// <summary>Carries out an observer's action. Meaningless actions are ignored.</summary>
    public void Do(GameWorld world, ObserverAction action)
    {
        switch (action.ActionCase)
        {
            case ActionOneofCase.PlayerPerspective when action.PlayerPerspective.PlayerId <= world.Players.Length:
                Viewer = (int)action.PlayerPerspective.PlayerId;
                break;
            case ActionOneofCase.CameraMove
                when action.CameraMove.WorldPos is { } to && float.IsFinite(to.X) && float.IsFinite(to.Y):
                var place = PlayerActions.PlaceOf(world, to.X, to.Y);
                _where = _ => place;
                break;
            case ActionOneofCase.CameraFollowPlayer
                when action.CameraFollowPlayer.PlayerId is >= 1 and var id && id <= world.Players.Length:
                _where = w => w.PlayerOf((int)id).Camera;
                break;
            case ActionOneofCase.CameraFollowUnits:
                var tags = action.CameraFollowUnits.UnitTags.ToArray();
                _where = w => MiddleOf(w, tags);
                break;
        }
    }

    private static (int X, int Y)? MiddleOf(GameWorld world, ulong[] tags)
    {
        var units = tags.Select(world.Find).OfType<World.Unit>().ToArray();
        return units.Length == 0
            ? null
            : ((int)units.Average(u => u.X), (int)units.Average(u => u.Y));
    }
}
