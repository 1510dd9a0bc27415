using System.Diagnostics.Metrics;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The meters of a hub; docs/reference/metrics.md lists them. Deliveries, drops, queues and memory are read only when a
/// collector asks for them.
/// </summary>
internal sealed class HubMeters : IDisposable
{
    private readonly Meter _meter = new(EncodingMeter.MeterName);
    private readonly Counter<long> _stepsCounter;
    private readonly Counter<long> _observationBytesCounter;
    private readonly Histogram<double> _answerTimes;
    private readonly Histogram<double> _deliveryTimes;
    private readonly PublishedPerspectives _perspectives;

    /// <param name="registry">Counts deliveries, also to subscribers that have left.</param>
    /// <param name="events">Raises an event for the times that agents report.</param>
    /// <param name="perspectives">Knows when each step was observed.</param>
    /// <param name="memory">The memory in use.</param>
    public HubMeters(
        SubscriptionRegistry registry, HubEvents events, PublishedPerspectives perspectives, MemoryLedger memory)
    {
        _perspectives = perspectives;
        events.TimesReported += OnTimesReported;
        _stepsCounter = _meter.CreateCounter<long>("sc2bridge.steps", "{step}", "observations published");
        _observationBytesCounter = _meter.CreateCounter<long>("sc2bridge.observation.bytes", "By", "their bytes");
        _answerTimes = _meter.CreateHistogram<double>(
            "sc2bridge.game.answer.duration", "s", "from asking the game for an observation to its whole answer",
            tags: null, EncodingMeter.TimeBuckets);
        _deliveryTimes = _meter.CreateHistogram<double>(
            "sc2bridge.delivery.duration", "s", "from the game's answer until the agent has it, as agents report it",
            tags: null, EncodingMeter.TimeBuckets);
        _meter.CreateObservableCounter(
            "sc2bridge.deliveries", () => Totals(registry, total => total.Delivered), "{frame}", "frames that left subscribers' queues to be sent");
        _meter.CreateObservableCounter(
            "sc2bridge.drops", () => Totals(registry, total => total.Dropped), "{frame}", "frames that subscribers never got");
        _meter.CreateObservableGauge(
            "sc2bridge.queue.length", () => Totals(registry, total => total.Queued), "{frame}", "frames in subscribers' queues");
        _meter.CreateObservableGauge(
            "sc2bridge.queue.bytes", () => Totals(registry, total => total.QueuedBytes), "By", "bytes of the frames in subscribers' queues");
        _meter.CreateObservableGauge(
            "sc2bridge.memory.bytes", () => MemoryOfAccounts(memory), "By", "memory held for agents and logs");
    }

    public void RecordPublished(ObservationFrame frame)
    {
        var header = frame.Header;
        _stepsCounter.Add(1);
        _observationBytesCounter.Add(frame.Observation.Length);
        _answerTimes.Record((header.ObservedNs - header.RequestedNs) / 1e9);
    }

    /// <inheritdoc/>
    public void Dispose() => _meter.Dispose();

    private static IEnumerable<Measurement<long>> Totals(
        SubscriptionRegistry registry, Func<DeliveryTotal, long> value) =>
        registry.Totals().Select(total => new Measurement<long>(
            value(total), new("transport", total.Transport), new("policy", total.Policy)));

    private void OnTimesReported(TimesReport report)
    {
        if (_deliveryTimes.Enabled && CheckedTimes.Of(report, _perspectives).Delivered is { } microseconds)
        {
            _deliveryTimes.Record(
                microseconds / 1e6, new("transport", report.Transport), new("policy", PolicyName(report.Policy)));
        }
    }

    private static IEnumerable<Measurement<long>> MemoryOfAccounts(MemoryLedger memory) =>
        Enum.GetValues<MemoryAccount>().Select(account => new Measurement<long>(
            memory[account], new KeyValuePair<string, object?>("account", account.ToString().ToLowerInvariant())));

    // Called for each report of an agent, so it must not allocate a string.
    internal static string PolicyName(V1.Policy policy) => policy switch
    {
        V1.Policy.Lockstep => "lockstep",
        V1.Policy.Latest => "latest",
        V1.Policy.Every => "every",
        _ => "unspecified",
    };
}

/// <summary>Deliveries of one transport and policy since the hub started, also to subscribers that have left.</summary>
/// <param name="Transport">The transport's name, as in <see cref="SubscriberInfo"/>.</param>
/// <param name="Policy">The policy's name, in lower case.</param>
/// <param name="Delivered">Frames given to subscribers.</param>
/// <param name="Dropped">Frames that were dropped before a subscriber read them.</param>
/// <param name="Queued">Frames that are queued now.</param>
/// <param name="QueuedBytes">The bytes of the queued frames.</param>
internal readonly record struct DeliveryTotal(
    string Transport, string Policy, long Delivered, long Dropped, long Queued, long QueuedBytes);
