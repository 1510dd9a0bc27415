using System.Diagnostics.Metrics;

namespace Sc2Bridge.Protocol;

/// <summary>Why a client is refused; counted in <c>sc2bridge.refusals</c>.</summary>
/// <param name="Reason">A short word for counting.</param>
/// <param name="Message">One line that names the limit and its flag.</param>
public sealed record Refusal(string Reason, string Message)
{
    // One meter's name for the whole bridge.
    private static readonly Meter _meter = new("Sc2Bridge");

    private static readonly Counter<long> _count = _meter.CreateCounter<long>(
        "sc2bridge.refusals", "{refusal}", "clients and requests that were refused");

    /// <summary>A client gets it.</summary>
    public void Count() => _count.Add(1, new KeyValuePair<string, object?>("reason", Reason));
}
