using System.Diagnostics.Metrics;

namespace Sc2Bridge.Protocol;

/// <summary>Why a client or its request is refused. The metric <c>sc2bridge.refusals</c> counts refusals.</summary>
/// <param name="Reason">A short word that labels the count.</param>
/// <param name="Message">One line that names the limit and its flag.</param>
public sealed record Refusal(string Reason, string Message)
{
    // All of the bridge's meters have this name.
    private static readonly Meter _meter = new("Sc2Bridge");

    private static readonly Counter<long> _count = _meter.CreateCounter<long>(
        "sc2bridge.refusals", "{refusal}", "clients and requests that were refused");

    /// <summary>Counts the refusal. Call this method when the refusal is sent to a client.</summary>
    public void AddToMetrics() => _count.Add(1, new KeyValuePair<string, object?>("reason", Reason));
}
