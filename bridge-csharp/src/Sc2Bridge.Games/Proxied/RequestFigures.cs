using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>What the proxy added to a bot's requests of one kind, in microseconds.</summary>
/// <param name="Request">The kind, as the API spells it.</param>
/// <param name="Count">How many were answered.</param>
/// <param name="GameP50Us">The game's own time: from sending it the request to having the whole answer.</param>
/// <param name="AddedP50Us">
/// What the bridge added: from having the whole request to having sent it on, and from having the whole answer to
/// having sent that. The time on the wire between bot and bridge is not in it.
/// </param>
/// <param name="AddedP99Us">The same, 99th percentile.</param>
/// <param name="AddedMaxUs">The same, at most.</param>
/// <param name="HeldP99Us">
/// How long the game was held for others, 99th percentile: agents in lockstep, full queues that pause, the match's
/// rate. It is not in what was added.
/// </param>
public sealed record RequestDelay(
    string Request, long Count, double GameP50Us, double AddedP50Us, double AddedP99Us, double AddedMaxUs,
    double HeldP99Us);

/// <summary>Gathers what the proxy adds to each request; thread-safe and bounded in memory.</summary>
internal sealed class RequestFigures
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<Kind, (Samples Game, Samples Added, Samples Held)> _kinds = [];

    /// <summary>So far, in the order of the API.</summary>
    public IReadOnlyList<RequestDelay> Summarize()
    {
        lock (_lock)
        {
            return
            [
                .. _kinds.Select(kind => new RequestDelay(
                    ApiState.NameOf(kind.Key),
                    kind.Value.Game.Count,
                    kind.Value.Game.Percentile(50),
                    kind.Value.Added.Percentile(50),
                    kind.Value.Added.Percentile(99),
                    kind.Value.Added.Max,
                    kind.Value.Held.Percentile(99))),
            ];
        }
    }

    /// <summary>A request was answered; times are in nanoseconds.</summary>
    public void Add(Kind kind, long gameNs, long addedNs, long heldNs)
    {
        lock (_lock)
        {
            if (!_kinds.TryGetValue(kind, out var samples))
            {
                _kinds[kind] = samples = (new Samples(), new Samples(), new Samples());
            }

            samples.Game.Add(gameNs / 1e3);
            samples.Added.Add(addedNs / 1e3);
            samples.Held.Add(heldNs / 1e3);
        }
    }
}
