using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>
/// Says of what type the allocated bytes are, from the runtime's own samples: one for about each 100 KB. Taking them
/// allocates as well, so that the totals of such a run are not those of the bridge.
/// </summary>
internal sealed class AllocationTypes : EventListener
{
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords GarbageCollector = (EventKeywords)0x1;
    private const string Tick = "GCAllocationTick";

    private readonly ConcurrentDictionary<string, int> _ticks = new();

    /// <summary>The types with most samples and their share of all, one a line.</summary>
    public IEnumerable<string> Lines(int most)
    {
        var all = Math.Max(1, _ticks.Values.Sum());
        return _ticks.OrderByDescending(pair => pair.Value).Take(most).Select(pair =>
            string.Create(CultureInfo.InvariantCulture, $"{(double)pair.Value / all,6:0.0%}  {pair.Key}"));
    }

    /// <inheritdoc/>
    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Runtime)
        {
            EnableEvents(eventSource, EventLevel.Verbose, GarbageCollector);
        }
    }

    /// <inheritdoc/>
    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName?.StartsWith(Tick, StringComparison.Ordinal) is true
            && eventData.PayloadNames?.IndexOf("TypeName") is { } at and >= 0
            && eventData.Payload?[at] is string type)
        {
            _ticks.AddOrUpdate(type, 1, static (_, count) => count + 1);
        }
    }
}
