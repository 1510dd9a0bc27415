using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>A late stretch of a simulated match as a recording, which every measurement receives.</summary>
internal static class LateSlice
{
    private const string Name = "simulated";
    private const uint AtOnce = 200;

    private static readonly Request _step = new() { Step = new RequestStep() };
    private static readonly Request _observe = new() { Observation = new RequestObservation() };

    /// <summary>What is recorded, as a reader of the results is told it.</summary>
    /// <param name="map">On which map.</param>
    /// <param name="steps">How many steps.</param>
    public static string Describe(string map, int steps) => FormattableString.Invariant(
        $"simulated, two Elites on {map}, seed {SimulatorDefaults.Seed}: ")
        + FormattableString.Invariant($"{steps:N0} steps from game loop {SimulatedFrames.LateLoop:N0} on");

    /// <summary>Plays the match and records its late steps.</summary>
    /// <param name="path">The file, made anew.</param>
    /// <param name="map">On which map.</param>
    /// <param name="steps">How many, each of one game loop.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="CommandException">The file cannot be written.</exception>
    public static Task RecordAsync(string path, string map, int steps, CancellationToken ct) =>
        RecordAsync([(SimulatedFrames.LateLoop, path)], map, steps, ct);

    /// <summary>Plays the match once and records steps from several game loops on.</summary>
    /// <param name="stretches">Loops, the earliest first, further apart than the steps are many; files.</param>
    /// <param name="map">On which map.</param>
    /// <param name="steps">How many of each, each of one game loop.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="CommandException">A file cannot be written.</exception>
    internal static async Task RecordAsync(
        IReadOnlyList<(uint Loop, string Path)> stretches, string map, int steps, CancellationToken ct)
    {
        var game = SimulatedFrames.Join(map, SimulatorDefaults.Seed, 0);
        uint played = 0;
        foreach (var (loop, path) in stretches)
        {
            while (played < loop)
            {
                ct.ThrowIfCancellationRequested();
                var count = Math.Min(AtOnce, loop - played);
                game.Handle(new Request { Step = new RequestStep { Count = count } });
                played += count;
            }

            await SliceFile.WriteAsync(path, hub => PlayAsync(hub, game, map, loop, steps, ct));
            played += (uint)steps;
        }
    }

    private static async Task<MatchEnd> PlayAsync(
        Hub hub, SimulatedGame game, string map, uint loop, int steps, CancellationToken ct)
    {
        hub.Announce(Describe(game, map), new NoRequests());
        for (var step = 0; step < steps; step++)
        {
            await hub.PublishAsync(Observe(game, (ulong)step, loop + (uint)step), ct);
            if (game.Handle(_step).Status == Status.Ended)
            {
                throw new CommandException("the simulated match ended before its last step");
            }
        }

        var end = new MatchEnd { MatchId = Name, Step = (ulong)steps - 1, Reason = "step limit" };
        hub.End(end);
        return end;
    }

    private static ObservationFrame Observe(SimulatedGame game, ulong step, uint loop)
    {
        var asked = MonotonicClock.NowNs;
        var buffer = MessageBuffer.Rent(1 << 18);
        game.Handle(_observe, buffer);
        var body = ResponseSlicer.Slice(buffer.Written.Span);
        return ObservationFrame.Create(
            buffer,
            body.BodyStart,
            body.BodyLength,
            new FrameHeader(Name, 0, step, loop, asked, MonotonicClock.NowNs));
    }

    private static MatchDescription Describe(SimulatedGame game, string map) => new()
    {
        MatchId = Name,
        MapName = map,
        Perspectives = { 0 },
        StepSize = 1,
        Simulated = true,
        Seed = SimulatorDefaults.Seed,
        GameInfo = game.Handle(new Request { GameInfo = new() }).GameInfo,
        Data = game.Handle(new Request { Data = new() { UnitTypeId = true, AbilityId = true } }).Data,
    };
}
