using System.Buffers;
using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Measuring;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>How fast the match was played without observations.</summary>
/// <param name="Games">Games side by side in one process, each with a seed of its own.</param>
/// <param name="Steps">Steps of all of them together.</param>
/// <param name="Seconds">Until the last of them was through.</param>
internal sealed record PlayingRow(int Games, long Steps, double Seconds);

/// <summary>Everything that was measured.</summary>
/// <param name="Machine">On what.</param>
/// <param name="Playing">Without observations.</param>
/// <param name="Loops">The loops of the late observations.</param>
/// <param name="Bytes">How large each was.</param>
/// <param name="ObservationUs">What each took to build, in µs.</param>
internal sealed record PlayingReport(
    Machine Machine, List<PlayingRow> Playing, List<int> Loops, List<int> Bytes, List<double> ObservationUs);

/// <summary>
/// The command <c>playing</c>: how fast the simulated game plays its default match, alone and many at once, and what a
/// late observation for the observer of all costs.
/// </summary>
internal static class PlayingCommand
{
    private const int LastLoop = 16_860;
    private const int Late = 14_500;
    private const int Stride = 20;
    private static readonly Request _observe = new() { Observation = new RequestObservation() };

    public static Command Create()
    {
        var games = new Option<int[]>("--games")
        {
            Description = "How many games are played side by side",
            DefaultValueFactory = _ => [1, 2, 16],
            AllowMultipleArgumentsPerToken = true,
        };
        var json = CommonOptions.Json();
        var command = new Command("playing", "How fast the simulated game plays")
        {
            games,
            json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var machine = Machine.Describe();
            Play(Join(SimulatorDefaults.Seed), Late / 4); // compiles what is measured below
            var playing = parsed.GetValue(games)!.Select(count => PlayMany(count, ct)).ToList();
            var report = new PlayingReport(machine, playing, [], [], []);
            Observe(report);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }

    private static PlayingRow PlayMany(int count, CancellationToken ct)
    {
        long steps = 0;
        var watch = Stopwatch.StartNew();
        Parallel.For(0, count, new ParallelOptions { CancellationToken = ct }, number =>
            Interlocked.Add(ref steps, Play(Join(SimulatorDefaults.Seed + (uint)number), LastLoop)));
        return new PlayingRow(count, steps, watch.Elapsed.TotalSeconds);
    }

    private static SimulatedGame Join(uint seed) => SimulatedFrames.Join("Cinder Fortress LE", seed, 0);

    private static long Play(SimulatedGame game, int loops)
    {
        var step = new Request { Step = new RequestStep { Count = Stride } };
        for (var loop = 0; loop < loops; loop += Stride)
        {
            if (game.Handle(step).Status == Status.Ended)
            {
                return loop;
            }
        }

        return loops;
    }

    private static void Observe(PlayingReport report)
    {
        var game = Join(SimulatorDefaults.Seed);
        Play(game, Late);
        var answer = new ArrayBufferWriter<byte>(1 << 20);
        for (var loop = Late; loop < LastLoop; loop += Stride)
        {
            answer.ResetWrittenCount();
            var started = Stopwatch.GetTimestamp();
            game.Handle(_observe, answer);
            report.ObservationUs.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
            report.Bytes.Add(answer.WrittenCount);
            report.Loops.Add(loop);
            Play(game, Stride);
        }
    }

    private static void Print(PlayingReport report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine();
        Console.WriteLine("| games side by side | steps | s | steps a second |");
        Console.WriteLine("| --- | --- | --- | --- |");
        foreach (var row in report.Playing)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {row.Games} | {row.Steps:N0} | {row.Seconds:0.0} | {row.Steps / row.Seconds:N0} |"));
        }

        var us = report.ObservationUs.ToArray();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"\n{us.Length} observations of loops {Late:N0} to {LastLoop:N0}, {report.Bytes.Min() / 1024.0:0.0} to "
            + $"{report.Bytes.Max() / 1024.0:0.0} KiB: built in {Statistics.Quantile(us, 0.5):0} us (p50), "
            + $"{Statistics.Quantile(us, 0.99):0} us (p99)"));
    }
}
