using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A stretch of the match that a running game is in, as a recording, which every measurement receives.</summary>
/// <param name="Match">What it is, as a reader of the results is told it.</param>
/// <param name="Game">
/// What the game took for a step and its observation, in µs; null in real time, where asking waits for the clock.
/// </param>
internal sealed record LiveSlice(string Match, Distribution? Game)
{
    /// <summary>Follows the match, step by step, and records it; then leaves it to its next client.</summary>
    /// <param name="path">The file, made anew.</param>
    /// <param name="address">Where the game listens.</param>
    /// <param name="steps">How many, each of one game loop.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="GameException">There is no game, or it is in no match.</exception>
    /// <exception cref="CommandException">The match is over before that, or the file cannot be written.</exception>
    public static async Task RecordAsync(string path, GameAddress address, int steps, CancellationToken ct)
    {
        await using var source = new RunningMatchSource(address);
        await SliceFile.WriteAsync(path, async hub =>
        {
            var runner = new MatchRunner(source, hub, StepRate.Max, (ulong)steps);
            await runner.StartAsync(ct);
            var end = await runner.RunAsync(ct);
            ct.ThrowIfCancellationRequested();
            return end.Aborted ? throw new CommandException(end.Reason)
                : runner.Progress.Frames < (ulong)steps ? throw new CommandException(
                    Invariant($"the match of the game at {address} was over after {runner.Progress.Frames:N0} steps, and ")
                    + Invariant($"{steps:N0} are to be received: attach to one that goes on for longer, or give --quick or ")
                    + "less of --seconds")
                : end;
        });
    }

    /// <summary>What such a recording holds.</summary>
    /// <param name="path">The file.</param>
    /// <param name="address">Where its game listened.</param>
    /// <exception cref="RecordingException">It cannot be read.</exception>
    public static LiveSlice Read(string path, GameAddress address)
    {
        using var recording = RecordingReader.Open(path);
        using var observations = recording.Observations();
        uint? first = null;
        List<double> game = [];
        while (observations.Next(out var observation))
        {
            first ??= observation.GameLoop;
            game.Add((observation.ObservedNs - observation.RequestedNs) / 1000.0);
        }

        var description = recording.Description;
        return new LiveSlice(
            Invariant($"the game at {address}{(description.Simulated ? " (simulated)" : "")}, {description.MapName}: ")
                + Invariant($"{game.Count:N0} steps from game loop {first:N0} on"),
            description.Realtime ? null : Distribution.Of(game));
    }
}
