using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>
/// A match that lasts for a warm-up and the time that is counted, and samples what the process used between the two:
/// when a frame is due and not there yet. All before it are sent by then, or one more or less of them would be in the
/// bytes; and it is timed only after that. One perspective, whose frames are numbered as they are sent: steps that the
/// source itself lacks, or begins anew with, are not what an agent has missed.
/// </summary>
/// <param name="source">Not owned.</param>
/// <param name="pace">Its pace.</param>
/// <param name="order">How long.</param>
/// <param name="sample">Takes a sample.</param>
internal sealed class MeasuredSource(IGameSource source, IPace pace, SendOrder order, Func<ProcessSample> sample)
    : IGameSource, IPace
{
    private readonly EncodingClock _encoding = new();
    private long? _begin;
    private ProcessSample? _before;
    private ProcessSample? _after;
    private long _steps;
    private ulong? _lastStep;

    public MatchDescription Description => source.Description;

    public MatchEnd? End { get; private set; }

    private long WarmUpNs => (long)(order.WarmUpSeconds * 1e9);

    public Task StartAsync(CancellationToken cancellationToken) => source.StartAsync(cancellationToken);

    public async ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken)
    {
        await pace.WaitAsync(lastRequestedNs, cancellationToken);
        var passed = MonotonicClock.NowNs - _begin;
        if (_before is null && passed >= WarmUpNs)
        {
            _before = sample();
            _steps = 0;
        }
        else if (_before is not null && passed >= WarmUpNs + (long)(order.Seconds * 1e9))
        {
            Finish();
        }
    }

    public async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        while (_after is null)
        {
            var frame = await source.NextAsync(cancellationToken);
            if (frame is null)
            {
                Finish();
                break;
            }

            if (frame.Header.Perspective == Description.Perspectives[0])
            {
                _begin ??= frame.Header.ObservedNs;
                Number(frame);
                _steps++;
                frame.Clock = _before is null ? null : _encoding;
                return frame;
            }

            frame.Release();
        }

        return null;
    }

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        source.RequestAsync(perspective, request, ct);

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    public SendResult Result() => (_before, _after) is ({ } before, { } after)
        ? new SendResult(
            _steps, (after.Ns - before.Ns) / 1e9, after.CpuSeconds - before.CpuSeconds, after.AllocatedBytes - before.AllocatedBytes,
            Environment.WorkingSet, after.WireBytes - before.WireBytes, _encoding.ElapsedNs / 1e9)
        : throw new CommandException(
            "the recording is over before anything was counted: give a longer one, or less of --seconds");

    // Where a recording begins anew there is no jump either: a playback's word of it is nothing that a measurement measures,
    // and what still waits for a subscriber would be forgotten.
    private void Number(ObservationFrame frame)
    {
        frame.Jump = null;
        if (_lastStep + 1 is { } next && next != frame.Header.Step)
        {
            frame.Renumber(next);
        }

        _lastStep = frame.Header.Step;
    }

    private void Finish()
    {
        _after ??= sample();
        End ??= new MatchEnd { MatchId = Description.MatchId, Step = _lastStep ?? 0, Reason = EndReason.StepLimit };
    }
}

/// <summary>What this process has used up to a moment.</summary>
/// <param name="Ns">When, on the monotonic clock.</param>
/// <param name="CpuSeconds">Of all processors.</param>
/// <param name="AllocatedBytes">Since it began.</param>
/// <param name="WireBytes">What the peers of its TCP connections have taken; null where that cannot be told.</param>
internal readonly record struct ProcessSample(long Ns, double CpuSeconds, long AllocatedBytes, long? WireBytes)
{
    public static ProcessSample Take(IReadOnlyCollection<int> ports) => new(
        MonotonicClock.NowNs, Environment.CpuUsage.TotalTime.TotalSeconds, GC.GetTotalAllocatedBytes(precise: true),
        WireMeter.SentBytes(ports));
}
