using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>Actions that a bot behind the proxy sent to the game. They bypass the hub.</summary>
/// <param name="agent">The sender's name.</param>
/// <param name="perspective">The player whose units the actions command.</param>
/// <param name="step">The newest step when the game received the actions.</param>
/// <param name="request">The request as it was sent. The caller must no longer change it.</param>
/// <param name="requestedNs">When the bridge received the actions, in nanoseconds of <see cref="MonotonicClock"/>.</param>
public sealed class ProxiedActions(string agent, uint perspective, ulong step, RequestAction request, long requestedNs)
{
    /// <summary>Builds the report of the actions' outcomes from the game's answer.</summary>
    public ActionReport ToReport(Response response)
    {
        ArgumentNullException.ThrowIfNull(response);
        return AnswerProblem(response, request.Actions.Count) is { } problem
            ? ToFailureReport(problem)
            : Report(response.Action.Result.Select(result => new ActionOutcome { Result = (int)result }));
    }

    /// <summary>Builds the report if the game did not receive the actions, or does not answer.</summary>
    /// <param name="why">The reason, as one line.</param>
    public ActionReport ToFailureReport(string why) =>
        Report(request.Actions.Select(_ => new ActionOutcome { Refusal = why }));

    /// <summary>Why the game's answer lacks an outcome for some action; null if each action has an outcome.</summary>
    /// <param name="response">The game's answer.</param>
    /// <param name="count">The number of actions in the request.</param>
    internal static string? AnswerProblem(Response response, int count) => response.Action switch
    {
        null => $"the game refused: {string.Join("; ", response.Error)}",
        { Result.Count: var results } when results != count =>
            $"the game gave {results} results for {count} actions: the bridge cannot tell which action each result is for",
        _ => null,
    };

    private ActionReport Report(IEnumerable<ActionOutcome> outcomes) => new(
        requestedNs,
        new ActionRecord
        {
            Step = step,
            Agent = agent,
            Perspective = perspective,
            Actions = { request.Actions },
            Outcome = new ActionsOutcome { Step = step, Outcomes = { outcomes } },
        },
        Passed: true);
}
