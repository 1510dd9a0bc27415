using System.Diagnostics;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Traces every Nth step for OpenTelemetry: the game's answer, the publication, and each delivery that an agent reports.
/// Spans are made of times that are measured anyway, after the fact. Thread-safe.
/// </summary>
/// <param name="every">N.</param>
/// <param name="perspectives">Know when each step was observed.</param>
internal sealed class StepTraces(int every, PublishedPerspectives perspectives)
{
    // Steps whose deliveries may still be reported.
    private const int MostSteps = 256;

    private static readonly ActivitySource _source = new(EncodingMeter.Name);

    private readonly Lock _lock = new();
    private readonly Dictionary<(uint Perspective, ulong Step), ActivityContext> _steps = [];
    private readonly Queue<(uint Perspective, ulong Step)> _order = new();

    /// <summary>Whether somebody takes the trace of a step.</summary>
    public bool Takes(ulong step) => step % (ulong)every == 0 && _source.HasListeners();

    /// <summary>Publishes a step, and traces it until no subscriber makes the game wait for it any longer.</summary>
    public async ValueTask TraceAsync(FrameHeader header, Func<ValueTask> publishAsync)
    {
        var (step, startNs) = (Begin(header), MonotonicClock.NowNs);
        await publishAsync().ConfigureAwait(false);
        if (step is not null)
        {
            var now = MonotonicClock.NowNs;
            Span(step.Context, "publish", startNs, now)?.Dispose();
            step.SetEndTime(At(now));
            step.Stop();
        }
    }

    /// <summary>An agent reports what it measured.</summary>
    public void Reported(TimesReport report)
    {
        var place = (report.Perspective, report.Times.Step);
        ActivityContext step;
        lock (_lock)
        {
            if (!_steps.TryGetValue(place, out step))
            {
                return;
            }
        }

        if (CheckedTimes.Of(report, perspectives).Delivered is { } microseconds
            && perspectives.ObservedNs(report.Perspective, report.Times.Step) is { } observedNs)
        {
            using var delivery = Span(step, "delivery", observedNs, observedNs + (long)(microseconds * 1000));
            delivery?.SetTag("agent", report.Agent).SetTag("transport", report.Transport)
                .SetTag("policy", HubMeters.PolicyName(report.Policy));
        }
    }

    // Null if it is not traced after all.
    private Activity? Begin(in FrameHeader header)
    {
        Activity.Current = null;
        var step = _source.StartActivity(
            "step", ActivityKind.Internal, default(ActivityContext), startTime: At(header.RequestedNs));
        Activity.Current = null;
        if (step is null)
        {
            return null;
        }

        step.SetTag("match", header.MatchId).SetTag("perspective", header.Perspective).SetTag("step", header.Step);
        var place = (header.Perspective, header.Step);
        lock (_lock)
        {
            _steps[place] = step.Context;
            _order.Enqueue(place);
            if (_order.Count > MostSteps)
            {
                _steps.Remove(_order.Dequeue());
            }
        }

        Span(step.Context, "game answer", header.RequestedNs, header.ObservedNs)?.Dispose();
        return step;
    }

    private static Activity? Span(ActivityContext step, string name, long startNs, long endNs)
    {
        var span = _source.StartActivity(name, ActivityKind.Internal, step, startTime: At(startNs));
        span?.SetEndTime(At(endNs));
        return span;
    }

    private static DateTime At(long ns) => DateTime.UtcNow - TimeSpan.FromTicks((MonotonicClock.NowNs - ns) / 100);
}
