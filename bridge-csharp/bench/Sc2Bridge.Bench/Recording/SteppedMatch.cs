using System.Diagnostics;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// The default simulated match, stepped in this process and published as a bridge does it: with a recorder, or without.
/// </summary>
internal sealed class SteppedMatch : IDisposable
{
    private readonly SimulatedMatch _match = new();
    private readonly Hub _hub = new(new HubOptions());
    private readonly MatchRecorder? _recorder;
    private readonly int _first;
    private ulong _next;

    /// <param name="path">The recording; null for none.</param>
    /// <param name="first">The game loop of the first step.</param>
    public SteppedMatch(string? path, int first = 0)
    {
        _first = first;
        _recorder = path is null ? null : BridgeHost.Record(_hub, path);
        _hub.Announce(_match.Describe(BridgeHost.MatchId), new NoRequests());
    }

    public long ObservationBytes { get; private set; }

    public RecordingFigures Figures => _recorder!.Figures;

    /// <summary>The late steps that are recorded, for the reader of the results.</summary>
    public static string DescribeLate(int steps) =>
        Invariant($"simulated, two Elites on {SimulatedMatch.Map}, seed {SimulatorDefaults.Seed}: ")
        + Invariant($"{steps:N0} steps from game loop {SimulatedMatch.LateLoop:N0} on");

    /// <summary>Plays the match and records its late steps, whose observations are the largest.</summary>
    public static async Task RecordLateAsync(string path, int steps, CancellationToken ct)
    {
        using var match = new SteppedMatch(path, SimulatedMatch.LateLoop);
        for (var step = 0; step < steps; step++)
        {
            await match.StepAsync(ct);
        }

        await match.EndAsync();
    }

    /// <summary>One step: the game's, its observation, and the publication.</summary>
    /// <returns>Microseconds.</returns>
    public async ValueTask<double> StepAsync(CancellationToken ct)
    {
        var start = Stopwatch.GetTimestamp();
        _match.Play(_first + (int)_next, ct);
        var frame = _match.ObserveFrame(BridgeHost.MatchId, _next++);
        ObservationBytes += frame.Observation.Length;
        await _hub.Publisher.PublishAsync(frame, ct);
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
    /// <exception cref="CommandException">Not every step was recorded.</exception>
    public async Task EndAsync()
    {
        var end = new MatchEnd { MatchId = BridgeHost.MatchId, Step = _next - 1, Reason = EndReason.Finished };
        _hub.End(end);
        await (_recorder?.EndAsync(end) ?? Task.CompletedTask);
        if (_recorder?.Figures is { } figures && (figures.Problem is not null || (ulong)figures.Observations != _next))
        {
            throw new CommandException($"{figures.Observations} of {_next} steps were recorded: {figures.Problem}");
        }
    }

    public void Dispose()
    {
        _recorder?.Dispose();
        _hub.Dispose();
    }
}
