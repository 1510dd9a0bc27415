using System.CommandLine;
using System.Diagnostics;
using SC2APIProtocol;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What one round took.</summary>
/// <param name="Games">Side by side.</param>
/// <param name="FirstSeed">Of the first game; each next one has the next.</param>
/// <param name="Steps">Of all of them.</param>
/// <param name="Seconds">By the clock on the wall.</param>
/// <param name="ProcessorSeconds">Of the whole process, so that other work on the machine counts less.</param>
internal sealed record SimulatorRound(int Games, uint FirstSeed, int Steps, double Seconds, double ProcessorSeconds);

/// <summary>One way of playing, in rounds.</summary>
internal sealed record SimulatorRow(string Playing, List<SimulatorRound> Rounds);

/// <summary>Late observations of the observer of all: µs and bytes of each.</summary>
internal sealed record LateObservations(List<double> Us, List<int> Bytes);

/// <summary>Copies of a match in memory, which the game makes for quick_save.</summary>
/// <param name="Units">The number of units in the match.</param>
/// <param name="Us">The duration of each copy in µs.</param>
/// <param name="ProcessorUs">The mean processor time of a copy in µs, with garbage collection.</param>
internal sealed record MatchCopies(int Units, List<double> Us, double ProcessorUs);

/// <summary>Everything that was measured.</summary>
internal sealed record SimulatorReport(Machine Machine, string Map, List<SimulatorRow> Rows, LateObservations Late, MatchCopies Copies);

/// <summary>The command <c>simulator</c>: how fast the simulated game plays two Elites, and how fast it draws.</summary>
internal static class SimulatorCommand
{
    private const int WarmUp = 3_000; // loops that are not counted, until everything is compiled
    private const int LateEvery = 20;
    private const int CopiedUnits = 1000;
    private const int WarmUpCopies = 500;
    private const int MeasuredCopies = 1000;
    private const uint Marine = 48;

    // All that an image client can request: screen and minimap of 84 × 84, raw data and the score.
    private static readonly InterfaceOptions _layers = new()
    {
        Raw = true,
        Score = true,
        FeatureLayer = new SpatialCameraSetup
        {
            Width = 24,
            Resolution = new Size2DI { X = 84, Y = 84 },
            MinimapResolution = new Size2DI { X = 84, Y = 84 },
        },
    };

    public static Command Create()
    {
        var rounds = BenchCommand.Number("--rounds", "each way of playing is repeated so often; the seeds are 1, 2, …", 3);
        return BenchCommand.Create(
            "simulator",
            "Speed of the simulated game: seconds for a match of two Elites, and steps a second with feature layers of 84 × 84.",
            [rounds],
            (parsed, ct) => Task.Run(() => Measure(parsed.GetValue(rounds), ct), ct),
            Print);
    }

    private static SimulatorReport Measure(int rounds, CancellationToken ct)
    {
        var machine = Machine.Describe();
        new SimulatedMatch().Play(WarmUp, ct);
        Draw(new SimulatedMatch(options: _layers, viewer: 1), WarmUp, ct);
        var (alone, drawn, many) = (new List<SimulatorRound>(), new List<SimulatorRound>(), new List<SimulatorRound>());
        for (var seed = 1u; seed <= rounds; seed++)
        {
            alone.Add(Round(1, seed, match => match.Play(SimulatedMatch.Length, ct)));
            drawn.Add(Round(1, seed, match => Draw(match, SimulatedMatch.Length, ct), _layers));
        }

        many.Add(Round(4, 1, match => match.Play(SimulatedMatch.Length, ct)));
        return new SimulatorReport(
            machine, SimulatedMatch.Map, [new("alone", alone), new("drawn each loop", drawn), new("side by side", many)], Late(ct), Copy(ct));
    }

    private static SimulatorRound Round(int games, uint seed, Action<SimulatedMatch> play, InterfaceOptions? options = null)
    {
        var matches = Enumerable.Range(0, games).Select(i => new SimulatedMatch(seed + (uint)i, options, options is null ? 0u : 1)).ToList();
        GC.Collect();
        var (began, used) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
        Parallel.ForEach(matches, play);
        return new SimulatorRound(
            games, seed, matches.Sum(match => match.Loop), Stopwatch.GetElapsedTime(began).TotalSeconds,
            (Environment.CpuUsage.TotalTime - used).TotalSeconds);
    }

    private static void Draw(SimulatedMatch match, int loops, CancellationToken ct)
    {
        while (match.Loop < loops)
        {
            match.Play(match.Loop + 1, ct);
            match.Glance();
        }
    }

    private static LateObservations Late(CancellationToken ct)
    {
        var (match, late) = (new SimulatedMatch(), new LateObservations([], []));
        for (var loop = SimulatedMatch.LateLoop; loop < SimulatedMatch.Length; loop += LateEvery)
        {
            match.Play(loop, ct);
            var began = Stopwatch.GetTimestamp();
            late.Bytes.Add(match.Glance());
            late.Us.Add(Stopwatch.GetElapsedTime(began).TotalMicroseconds);
        }

        return late;
    }

    // A late match that got marines up to 1,000 units, which then fight.
    private static MatchCopies Copy(CancellationToken ct)
    {
        var match = new SimulatedMatch();
        match.Play(SimulatedMatch.LateLoop, ct);
        var marines = new DebugCreateUnit { UnitType = Marine, Owner = 1, Pos = new Point2D { X = 72, Y = 80 } };
        marines.Quantity = (uint)Math.Max(0, CopiedUnits - CountUnits());
        match.Game.Handle(new Request { Debug = new RequestDebug { Debug = { new DebugCommand { CreateUnit = marines } } } });
        match.Play(SimulatedMatch.LateLoop + 1, ct);
        var (us, used) = (new List<double>(), TimeSpan.Zero);
        for (var i = -WarmUpCopies; i < MeasuredCopies; i++)
        {
            ct.ThrowIfCancellationRequested();
            used = i == 0 ? Environment.CpuUsage.TotalTime : used;
            var began = Stopwatch.GetTimestamp();
            match.Game.Handle(new Request { QuickSave = new RequestQuickSave() });
            us.Add(Stopwatch.GetElapsedTime(began).TotalMicroseconds);
        }

        used = Environment.CpuUsage.TotalTime - used;
        return new MatchCopies(CountUnits(), us[WarmUpCopies..], used.TotalMicroseconds / MeasuredCopies);

        int CountUnits() => ResponseObservation.Parser.ParseFrom(match.Observe()).Observation.RawData.Units.Count;
    }

    private static void Print(Output output, SimulatorReport report)
    {
        output.Facts([.. report.Machine.Facts(), ("match", $"two Elites on {report.Map}")]);
        output.Table(
            "medians of the rounds (least–most)",
            report.Rows,
            ("playing", row => row.Playing),
            ("games", row => Output.Whole(row.Rounds[0].Games)),
            ("steps", row => Output.Whole(row.Rounds[0].Steps)),
            ("seeds", row => Invariant($"{row.Rounds[0].FirstSeed} to {row.Rounds[^1].FirstSeed + row.Rounds[0].Games - 1}")),
            ("s", row => Over(row, round => round.Seconds, 2)),
            ("processor s", row => Over(row, round => round.ProcessorSeconds, 2)),
            ("steps a second", row => Over(row, round => round.Steps / round.Seconds, 0)),
            ("steps a processor second", row => Over(row, round => round.Steps / round.ProcessorSeconds, 0)));
        var late = report.Late;
        output.Line(Invariant($"{late.Us.Count} late observations of {Output.Kib(late.Bytes.Min())} to {Output.Kib(late.Bytes.Max())} KiB: ")
            + Invariant($"{Statistics.Quantile(late.Us, 0.5):0} µs (p50), {Statistics.Quantile(late.Us, 0.99):0} µs (p99)"));
        output.Line(Invariant($"{report.Copies.Us.Count} copies of a match with {report.Copies.Units} units: ")
            + Invariant($"{Statistics.Quantile(report.Copies.Us, 0.5):0} µs (p50), {Statistics.Quantile(report.Copies.Us, 0.99):0} µs (p99), {report.Copies.ProcessorUs:0} µs of processor time (mean)"));

        static string Over(SimulatorRow row, Func<SimulatorRound, double> figure, int decimals) =>
            Output.Spread(Spread.Of(row.Rounds.Select(figure)), decimals);
    }
}
