using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>The delay that the bridge added to a bot's requests of one kind, in microseconds.</summary>
/// <param name="Request">The kind, as the API spells it.</param>
/// <param name="Count">How many requests were answered.</param>
/// <param name="GameP50Us">The game's own time, median: from sending the request to the answer's last byte.</param>
/// <param name="AddedP50Us">
/// The bridge's time, median: from a request's last byte until the request is sent to the game, plus from the last byte of the answer until
/// the answer is sent to the bot. The time on the wire to and from the bot does not count.
/// </param>
/// <param name="AddedP99Us">The bridge's time, 99th percentile.</param>
/// <param name="AddedMaxUs">The bridge's time, maximum.</param>
/// <param name="HeldP99Us">
/// How long the request waited for agents in lockstep, for full queues that pause, or for the match's rate; 99th percentile.
/// The bridge's time does not include this wait.
/// </param>
public sealed record RequestDelay(
    string Request, long Count, double GameP50Us, double AddedP50Us, double AddedP99Us, double AddedMaxUs,
    double HeldP99Us);

/// <summary>Collects the delay of each request. Thread-safe, with limited memory.</summary>
internal sealed class RequestFigures
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<Kind, (Samples Game, Samples Added, Samples Held)> _kinds = [];

    /// <summary>Returns the figures so far, in the order of the requests in the API.</summary>
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

    /// <summary>Adds an answered request. Times are in nanoseconds.</summary>
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
