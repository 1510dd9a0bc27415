using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>
/// A match that lasts for a warm-up and the counted time. It samples the process's resources at the beginning and the end of
/// the counted time, when a frame is due but not yet there. All earlier frames are sent by then, so their bytes are counted
/// exactly. The frame gets its time stamp after the sample. The source has one perspective. Frames are numbered as they are
/// sent, so that the agent does not miss steps that the source lacks or repeats.
/// </summary>
/// <param name="source">The source. Not owned.</param>
/// <param name="pace">Its pace.</param>
/// <param name="order">The durations.</param>
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

    // When the recording starts over, the playback's seek event is not passed on: it would drop frames that are still queued
    // for a subscriber, and no measurement measures it.
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

/// <summary>The resources that this process has used until a moment.</summary>
/// <param name="Ns">The time on the monotonic clock.</param>
/// <param name="CpuSeconds">Time on all processors.</param>
/// <param name="AllocatedBytes">Bytes allocated since the process's start.</param>
/// <param name="WireBytes">Bytes acknowledged by the peers of its TCP connections. Null if the system does not report it.</param>
internal readonly record struct ProcessSample(long Ns, double CpuSeconds, long AllocatedBytes, long? WireBytes)
{
    public static ProcessSample Take(IReadOnlyCollection<int> ports) => new(
        MonotonicClock.NowNs, Environment.CpuUsage.TotalTime.TotalSeconds, GC.GetTotalAllocatedBytes(precise: true),
        WireMeter.SentBytes(ports));
}
