using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Handles a client's actions, debug commands and observer actions.</summary>
internal static class ClientActions
{
    // The limit keeps each journal entry below the longest message to another process.
    private const int LongestAction = 512 * 1024;

    /// <summary>Accepts a player's actions. Returns a result for each.</summary>
    /// <remarks>
    /// Each action is checked against the state after the last loop, and carried out before the next one. An action for the
    /// selected units is not checked if an earlier action changes the selection. It may then fail later (<c>action_errors</c>).
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

    /// <summary>Accepts debug commands. Commands that change the world work only in a game that this client created.</summary>
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
