using System.Collections.Concurrent;
using System.Diagnostics.Tracing;

namespace Sc2Bridge.Bench;

/// <summary>
/// Estimates how many objects an operation allocates, which .NET does not count: from the runtime's random samples of
/// allocations (event <c>AllocationSampled</c>, .NET 9 and newer), which take each byte with a chance of 1 in 102,400.
/// A sampled object stands for as many as its size makes likely.
/// </summary>
/// <remarks>https://github.com/dotnet/runtime/blob/main/docs/design/features/RandomizedAllocationSampling.md</remarks>
internal sealed class AllocationCounter : EventListener
{
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const string MarkName = $"{nameof(AllocationMark)}[]"; // as the runtime tells it, without the namespace
    private const string Sampled = "AllocationSampled";
    private const EventKeywords AllocationSampling = (EventKeywords)0x800_0000_0000;
    private const double ChanceOfAByte = 1.0 / 102_400;

    // So large that the chance of not being sampled is one in e^160.
    private const int MarkSize = 16 << 20;

    // As many bytes as give some five hundred samples: the estimate is then good to a twentieth.
    private const long BytesWanted = 48 << 20;
    private const double MostNs = 1e9;
    private static readonly TimeSpan HangGuard = TimeSpan.FromSeconds(10);

    private readonly ConcurrentQueue<(long Thread, string Type, long Size)> _samples = new();
    private readonly SemaphoreSlim _marked = new(0);

    /// <summary>Counts.</summary>
    /// <param name="operation">Done often enough.</param>
    /// <param name="bytesEach">What one call allocates; 0 is not measured, and answered with 0.</param>
    /// <param name="nsEach">Nanoseconds that it takes: what allocates little is not done for ever.</param>
    /// <returns>Objects a call, or null where the runtime tells nothing.</returns>
    public double? Count(Func<object?> operation, double bytesEach, double nsEach)
    {
        if (bytesEach < 1)
        {
            return 0;
        }

        var calls = (long)Math.Max(8, Math.Min(BytesWanted / bytesEach, MostNs / nsEach));
        if (!TryMark())
        {
            return null;
        }

        _samples.Clear();
        for (var call = 0L; call < calls; call++)
        {
            GC.KeepAlive(operation());
        }

        if (!TryMark())
        {
            return null;
        }

        // The mark says which thread this is; the thread that hands out events allocates too.
        var samples = _samples.ToArray();
        var thread = samples.Last(sample => sample.Type == MarkName).Thread;
        return samples
            .Where(sample => sample.Thread == thread && sample.Type != MarkName)
            .Sum(sample => 1 / (1 - Math.Pow(1 - ChanceOfAByte, sample.Size))) / calls;
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _marked.Dispose();
    }

    /// <inheritdoc/>
    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Runtime)
        {
            EnableEvents(eventSource, EventLevel.Informational, AllocationSampling);
        }
    }

    /// <inheritdoc/>
    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName != Sampled || _samples is null)
        {
            return;
        }

        var type = (string)eventData.Payload![eventData.PayloadNames!.IndexOf("TypeName")]!;
        var size = Convert.ToInt64(
            eventData.Payload[eventData.PayloadNames.IndexOf("ObjectSize")],
            System.Globalization.CultureInfo.InvariantCulture);
        _samples.Enqueue((eventData.OSThreadId, type, size));
        if (type == MarkName)
        {
            _marked.Release();
        }
    }

    // Events come late and in order: an object of a type of its own tells that all before it have come.
    private bool TryMark()
    {
        GC.KeepAlive(new AllocationMark[MarkSize]);
        return _marked.Wait(HangGuard);
    }

    private readonly struct AllocationMark
    {
#pragma warning disable CS0169 // Only its size matters.
        private readonly byte _byte;
#pragma warning restore CS0169
    }
}
