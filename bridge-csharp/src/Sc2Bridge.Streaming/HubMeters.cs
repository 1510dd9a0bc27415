using System.Diagnostics.Metrics;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The meters of a hub; docs/reference/metrics.md lists them. Deliveries and drops are read when a collector asks, and
/// cost nothing until then.
/// </summary>
internal sealed class HubMeters : IDisposable
{
    private readonly Meter _meter = new(EncodingMeter.Name);
    private readonly Counter<long> _steps;
    private readonly Counter<long> _bytes;
    private readonly Histogram<double> _answers;
    private readonly Histogram<double> _deliveries;
    private readonly PublishedPerspectives _perspectives;

    /// <param name="registry">Counts deliveries of past subscribers too.</param>
    /// <param name="events">Tells what agents measured.</param>
    /// <param name="perspectives">Know when each step was observed.</param>
    /// <param name="memory">What is held.</param>
    public HubMeters(
        SubscriptionRegistry registry, HubEvents events, PublishedPerspectives perspectives, MemoryLedger memory)
    {
        _perspectives = perspectives;
        events.TimesReported += Reported;
        _steps = _meter.CreateCounter<long>("sc2bridge.steps", "{step}", "observations published");
        _bytes = _meter.CreateCounter<long>("sc2bridge.observation.bytes", "By", "their bytes");
        _answers = _meter.CreateHistogram<double>(
            "sc2bridge.game.answer.duration", "s", "from asking the game for an observation to its whole answer",
            tags: null, EncodingMeter.Times);
        _deliveries = _meter.CreateHistogram<double>(
            "sc2bridge.delivery.duration", "s", "from the game's answer to the agent holding it, as agents report it",
            tags: null, EncodingMeter.Times);
        _meter.CreateObservableCounter(
            "sc2bridge.deliveries", () => Totals(registry, total => total.Delivered), "{frame}", "frames given to readers");
        _meter.CreateObservableCounter(
            "sc2bridge.drops", () => Totals(registry, total => total.Dropped), "{frame}", "frames subscribers never got");
        _meter.CreateObservableGauge(
            "sc2bridge.queue.length", () => Totals(registry, total => total.Queued), "{frame}", "frames that wait");
        _meter.CreateObservableGauge(
            "sc2bridge.queue.bytes", () => Totals(registry, total => total.QueuedBytes), "By", "their bytes");
        _meter.CreateObservableGauge(
            "sc2bridge.memory.bytes", () => Accounts(memory), "By", "memory held for agents and logs");
    }

    public void Published(ObservationFrame frame)
    {
        var header = frame.Header;
        _steps.Add(1);
        _bytes.Add(frame.Observation.Length);
        _answers.Record((header.ObservedNs - header.RequestedNs) / 1e9);
    }

    /// <inheritdoc/>
    public void Dispose() => _meter.Dispose();

    private static IEnumerable<Measurement<long>> Totals(
        SubscriptionRegistry registry, Func<DeliveryTotal, long> value) =>
        registry.Totals().Select(total => new Measurement<long>(
            value(total), new("transport", total.Transport), new("policy", total.Policy)));

    private void Reported(TimesReport report)
    {
        if (_deliveries.Enabled && CheckedTimes.Of(report, _perspectives).Delivered is { } microseconds)
        {
            _deliveries.Record(
                microseconds / 1e6, new("transport", report.Transport), new("policy", PolicyName(report.Policy)));
        }
    }

    private static IEnumerable<Measurement<long>> Accounts(MemoryLedger memory) =>
        Enum.GetValues<MemoryAccount>().Select(account => new Measurement<long>(
            memory[account], new KeyValuePair<string, object?>("account", account.ToString().ToLowerInvariant())));

    // For each report of an agent: makes no text of its own.
    internal static string PolicyName(V1.Policy policy) => policy switch
    {
        V1.Policy.Lockstep => "lockstep",
        V1.Policy.Latest => "latest",
        V1.Policy.Every => "every",
        _ => "unspecified",
    };
}

/// <summary>Deliveries to one transport and policy since the hub began, to past subscribers too.</summary>
/// <param name="Transport">Of <see cref="SubscriberInfo"/>.</param>
/// <param name="Policy">In lower case.</param>
/// <param name="Delivered">Frames handed to readers.</param>
/// <param name="Dropped">Frames they never got.</param>
/// <param name="Queued">Frames that wait.</param>
/// <param name="QueuedBytes">Their bytes.</param>
internal readonly record struct DeliveryTotal(
    string Transport, string Policy, long Delivered, long Dropped, long Queued, long QueuedBytes);
