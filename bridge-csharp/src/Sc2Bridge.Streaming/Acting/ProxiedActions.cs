using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>Actions that went to the game unchanged, without the hub: those of a bot behind the proxy.</summary>
/// <param name="by">Who sent them.</param>
/// <param name="perspective">The player whose units they command.</param>
/// <param name="step">The newest step when the game got them.</param>
/// <param name="asked">As they were sent; not changed any more.</param>
/// <param name="requestedNs">When the bridge got them, in nanoseconds of <see cref="MonotonicClock"/>.</param>
public sealed class ProxiedActions(string by, uint perspective, ulong step, RequestAction asked, long requestedNs)
{
    /// <summary>The game has answered.</summary>
    public ActionReport Answered(Response response)
    {
        ArgumentNullException.ThrowIfNull(response);
        return Problem(response, asked.Actions.Count) is { } problem
            ? Failed(problem)
            : Done(response.Action.Result.Select(result => new ActionOutcome { Result = (int)result }));
    }

    /// <summary>The game did not get them, or does not answer.</summary>
    /// <param name="why">One line.</param>
    public ActionReport Failed(string why) =>
        Done(asked.Actions.Select(_ => new ActionOutcome { Refusal = why }));

    /// <summary>Why the game's answer has no outcome for each action; null where it has.</summary>
    /// <param name="response">The game's.</param>
    /// <param name="count">How many actions it was asked for.</param>
    internal static string? Problem(Response response, int count) => response.Action switch
    {
        null => $"the game refused: {string.Join("; ", response.Error)}",
        { Result.Count: var results } when results != count =>
            $"the game answered {results} of {count} actions: which is not known",
        _ => null,
    };

    private ActionReport Done(IEnumerable<ActionOutcome> outcomes) => new(
        requestedNs,
        new ActionRecord
        {
            Step = step,
            Agent = by,
            Perspective = perspective,
            Actions = { asked.Actions },
            Outcome = new ActionsOutcome { Step = step, Outcomes = { outcomes } },
        },
        Passed: true);
}
