using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Simulator.Api;

/// <summary>What a client does to a match or in it: actions, debug commands, an observer's camera.</summary>
internal static class ClientActions
{
    // Another process can be told no more at once.
    private const int LongestAction = 512 * 1024;

    /// <summary>Takes a player's actions, each with its verdict.</summary>
    /// <remarks>
    /// Each is judged against the game as the last loop left it, and done before the next one. What is for the selected
    /// units is not, where they are still to be selected: it fails late then (<c>action_errors</c>).
    /// </remarks>
    public static ResponseAction Act(Session session, RequestAction request)
    {
        var world = session.Match.World;
        var response = new ResponseAction();
        foreach (var sent in request.Actions)
        {
            var action = session.Pixels.ToWorld(WindowedRequests.ToWorld(sent, session.Window));
            var result = action is null || action.CalculateSize() > LongestAction ? ActionResult.Error
                : PlayerActions.IsToSelected(action) && session.Reselects ? ActionResult.Success
                : PlayerActions.Check(world, world.PlayerOf(session.Player), action);
            if (result == ActionResult.Success)
            {
                session.Do(action!);
            }

            response.Result.Add(result);
        }

        return response;
    }

    /// <summary>
    /// Takes debug commands; those that change the world work only in a game that this client created.
    /// </summary>
    public static ResponseDebug Debug(Session session, RequestDebug request)
    {
        foreach (var command in request.Debug)
        {
            if (command.Draw is null && command.TestProcess is null && session.MayDebug
                && command.CalculateSize() <= LongestAction)
            {
                session.Do(WindowedRequests.ToWorld(command, session.Window));
            }
        }

        return new ResponseDebug();
    }

    /// <summary>Moves an observer's camera.</summary>
    public static ResponseObserverAction Look(Session session, RequestObserverAction request)
    {
        foreach (var action in request.Actions)
        {
            session.Look(WindowedRequests.ToWorld(action, session.Window));
        }

        return new ResponseObserverAction();
    }
}
