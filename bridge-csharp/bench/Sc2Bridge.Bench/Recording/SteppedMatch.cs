using System.Diagnostics;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>
/// The default simulated match, stepped in this process and published as a bridge does it: with a recorder, or without.
/// </summary>
internal sealed class SteppedMatch : IDisposable
{
    private const string Name = BridgeHost.MatchId;

    private static readonly Request _step = new() { Step = new RequestStep() };
    private static readonly Request _observe = new() { Observation = new RequestObservation() };

    private readonly SimulatedGame _game = SimulatedFrames.Join(MatchSteps.Map, SimulatorDefaults.Seed, 0);
    private readonly Hub _hub = new(new HubOptions());
    private readonly MatchRecorder? _recorder;
    private ulong _next;

    /// <param name="path">The recording; null for none.</param>
    public SteppedMatch(string? path)
    {
        _recorder = path is null ? null : RecordTo(_hub, path);
        _hub.Announce(
            new MatchDescription
            {
                MatchId = Name,
                MapName = MatchSteps.Map,
                Perspectives = { 0 },
                StepSize = 1,
                Simulated = true,
                GameInfo = _game.Handle(new Request { GameInfo = new() }).GameInfo,
                Data = _game.Handle(new Request { Data = new() { UnitTypeId = true, AbilityId = true } }).Data,
            },
            new NoRequests());
    }

    /// <summary>Bytes of all observations.</summary>
    public long ObservationBytes { get; private set; }

    /// <summary>What was recorded.</summary>
    public RecordingFigures Figures => _recorder!.Figures;

    /// <summary>A recorder to a file, unbuffered as a match's.</summary>
    public static MatchRecorder RecordTo(Hub hub, string path) => new(
        hub,
        new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0),
        new RecorderOptions(),
        line => Console.WriteLine(line),
        problem => throw new CommandException($"{path}: {problem}"));

    /// <summary>One step: the game's, its observation, and the publication.</summary>
    /// <returns>Microseconds.</returns>
    public async ValueTask<double> StepAsync(CancellationToken ct)
    {
        var start = Stopwatch.GetTimestamp();
        if (_next > 0 && _game.Handle(_step).Status == Status.Ended)
        {
            throw new CommandException("the simulated match ended before its last step");
        }

        var asked = MonotonicClock.NowNs;
        var buffer = MessageBuffer.Rent(1 << 18);
        _game.Handle(_observe, buffer);
        var body = ResponseSlicer.Slice(buffer.Written.Span);
        var header = new FrameHeader(Name, 0, _next, (uint)_next, asked, MonotonicClock.NowNs);
        _next++;
        ObservationBytes += body.BodyLength;
        await _hub.PublishAsync(ObservationFrame.Create(buffer, body.BodyStart, body.BodyLength, header), ct);
        return Stopwatch.GetElapsedTime(start).TotalMicroseconds;
    }

    /// <summary>Waits until the recorder has taken everything, so that it takes nothing of another's time.</summary>
    public async Task SettleAsync(CancellationToken ct)
    {
        while (_recorder is not null && (ulong)_recorder.Figures.Observations < _next)
        {
            await Task.Delay(1, ct);
        }
    }

    /// <summary>Ends the match and its recording.</summary>
    public async Task EndAsync()
    {
        var end = new MatchEnd { MatchId = Name, Step = _next - 1, Reason = "finished" };
        _hub.End(end);
        await (_recorder?.EndAsync(end) ?? Task.CompletedTask);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _recorder?.Dispose();
        _hub.Dispose();
    }
}
