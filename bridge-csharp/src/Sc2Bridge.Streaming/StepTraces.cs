using System.Diagnostics;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Traces every Nth step for OpenTelemetry: the game's answer, the publication, and each delivery that an agent reports. Spans are
/// created after these events, from times that the bridge measures even without tracing. Thread-safe.
/// </summary>
/// <param name="interval">A step is traced if its number is a multiple of this interval.</param>
/// <param name="perspectives">Knows when each step was observed.</param>
internal sealed class StepTraces(int interval, PublishedPerspectives perspectives)
{
    // How many of the newest traced steps are remembered. A reported delivery is added to the trace of its remembered step.
    private const int MaxRememberedSteps = 256;

    private static readonly ActivitySource _source = new(EncodingMeter.MeterName);

    private readonly Lock _lock = new();
    private readonly Dictionary<(uint Perspective, ulong Step), ActivityContext> _stepContexts = [];
    private readonly Queue<(uint Perspective, ulong Step)> _rememberedSteps = new();

    /// <summary>Whether a step is to be traced: it is an Nth step and a listener is attached.</summary>
    public bool ShouldTrace(ulong step) => step % (ulong)interval == 0 && _source.HasListeners();

    /// <summary>Publishes and traces a step. The trace ends when the publication no longer waits for a subscriber.</summary>
    public async ValueTask TraceAsync(FrameHeader header, Func<ValueTask> publishAsync)
    {
        var (step, startNs) = (BeginTrace(header), MonotonicClock.NowNs);
        await publishAsync().ConfigureAwait(false);
        if (step is not null)
        {
            var now = MonotonicClock.NowNs;
            CreateSpan(step.Context, "publish", startNs, now)?.Dispose();
            step.SetEndTime(ToUtc(now));
            step.Stop();
        }
    }

    /// <summary>Adds the delivery that an agent reports to the step's trace.</summary>
    public void OnTimesReported(TimesReport report)
    {
        var key = (report.Perspective, report.Times.Step);
        ActivityContext step;
        lock (_lock)
        {
            if (!_stepContexts.TryGetValue(key, out step))
            {
                return;
            }
        }

        if (CheckedTimes.Of(report, perspectives).Delivered is { } microseconds
            && perspectives.ObservedNs(report.Perspective, report.Times.Step) is { } observedNs)
        {
            using var delivery = CreateSpan(step, "delivery", observedNs, observedNs + (long)(microseconds * 1000));
            delivery?.SetTag("agent", report.Agent).SetTag("transport", report.Transport)
                .SetTag("policy", HubMeters.PolicyName(report.Policy));
        }
    }

    // Returns null if the listener does not sample this step.
    private Activity? BeginTrace(in FrameHeader header)
    {
        Activity.Current = null;
        var step = _source.StartActivity(
            "step", ActivityKind.Internal, default(ActivityContext), startTime: ToUtc(header.RequestedNs));
        Activity.Current = null;
        if (step is null)
        {
            return null;
        }

        step.SetTag("match", header.MatchId).SetTag("perspective", header.Perspective).SetTag("step", header.Step);
        var key = (header.Perspective, header.Step);
        lock (_lock)
        {
            _stepContexts[key] = step.Context;
            _rememberedSteps.Enqueue(key);
            if (_rememberedSteps.Count > MaxRememberedSteps)
            {
                _stepContexts.Remove(_rememberedSteps.Dequeue());
            }
        }

        CreateSpan(step.Context, "game answer", header.RequestedNs, header.ObservedNs)?.Dispose();
        return step;
    }

    private static Activity? CreateSpan(ActivityContext step, string name, long startNs, long endNs)
    {
        var span = _source.StartActivity(name, ActivityKind.Internal, step, startTime: ToUtc(startNs));
        span?.SetEndTime(ToUtc(endNs));
        return span;
    }

    private static DateTime ToUtc(long ns) => DateTime.UtcNow - TimeSpan.FromTicks((MonotonicClock.NowNs - ns) / 100);
}
