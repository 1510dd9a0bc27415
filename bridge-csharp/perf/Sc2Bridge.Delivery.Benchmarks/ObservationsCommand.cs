using System.Buffers;
using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Measuring;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>
/// Measures the simulated game's observations: their size along a match, how much of them changes from one step to the
/// next, and how long one takes to build.
/// </summary>
internal static class ObservationsCommand
{
    // Loops between two stretches that are looked at.
    private const int Stretch = 1000;
    private const int Last = 16_860;
    private const int Repeats = 400;

    /// <summary>The command.</summary>
    public static Command Create()
    {
        var seed = CommonOptions.Number("--seed", "The match's seed", SimulatorDefaults.Seed);
        var viewer = CommonOptions.Number("--viewer", "Whose observations: a player's id, or 0 for all", 0u);
        var map = CommonOptions.Number("--map", "Where the match is played", "Cinder Fortress LE");
        var json = CommonOptions.Json();
        var command = new Command("observations", "Size, change and cost of the simulated game's observations")
        {
            seed,
            viewer,
            map,
            json,
        };
        command.SetAction((parsed, ct) => RunAsync(
            parsed.GetValue(seed), parsed.GetValue(viewer), parsed.GetValue(map)!, parsed.GetValue(json), ct));
        return command;
    }

    private static async Task RunAsync(
        uint seed, uint viewer, string map, FileInfo? json, CancellationToken ct)
    {
        var machine = Machine.Describe();
        Console.WriteLine(machine.Text);

        var maps = new Dictionary<string, double>();
        var names = new SimulatedGame(new SimulatorOptions()).Handle(new Request { AvailableMaps = new() }).AvailableMaps;
        foreach (var name in names.BattlenetMapNames)
        {
            var begun = Observe(SimulatedFrames.Join(name, seed, 1)).CalculateSize() / 1024.0;
            maps.Add(name, Math.Round(begun, 1));
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"loop 0   {begun,6:0.0} KiB  {name}"));
        }

        var rows = Play(SimulatedFrames.Join(map, seed, viewer), ct);
        Console.WriteLine("  loop     KiB  units  changed %  moved %  bytes %  median µs  p99 µs");
        foreach (var row in rows)
        {
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{row.Loop,6} {row.Kib,7:0.0} {row.Units,6} {row.Changed,10:0.0} {row.Moved,8:0.0} "
                + $"{row.Bytes,8:0.0} {row.Median,10:0} {row.P99,7:0}"));
        }

        await ReportFile.WriteAsync(json, new { machine, seed, viewer, map, maps, rows }, ct);
    }

    private static List<Row> Play(SimulatedGame game, CancellationToken ct)
    {
        var rows = new List<Row>();
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            var before = Observe(game);
            var stepped = game.Handle(new Request { Step = new RequestStep() });
            var after = Observe(game);
            rows.Add(Compare(before, after, Time(game)));
            if (stepped.Status == Status.Ended || after.Observation.GameLoop >= Last)
            {
                return rows;
            }

            game.Handle(new Request { Step = new RequestStep { Count = Stretch - 1 } });
        }
    }

    private static ResponseObservation Observe(SimulatedGame game) =>
        game.Handle(new Request { Observation = new RequestObservation() }).Observation;

    // As the game's server does it: from the request to the response's bytes.
    private static double[] Time(SimulatedGame game)
    {
        var request = new Request { Observation = new RequestObservation() };
        var bytes = new ArrayBufferWriter<byte>(1 << 20);
        var times = new double[Repeats];
        for (var i = -Repeats; i < Repeats; i++)
        {
            bytes.ResetWrittenCount();
            var start = Stopwatch.GetTimestamp();
            game.Begin(request);
            game.TryFinish(bytes);
            if (i >= 0)
            {
                times[i] = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
            }
        }

        return times;
    }

    private static Row Compare(ResponseObservation before, ResponseObservation after, double[] times)
    {
        var old = before.Observation.RawData.Units.ToDictionary(u => u.Tag);
        var units = after.Observation.RawData.Units;
        var changed = units.Count(u => !old.TryGetValue(u.Tag, out var was) || !was.Equals(u));
        var moved = units.Count(u => old.TryGetValue(u.Tag, out var was) && !was.Pos.Equals(u.Pos));
        var size = after.CalculateSize();
        var map = after.Observation.RawData.MapState.CalculateSize();
        var kept = units.Where(u => old.TryGetValue(u.Tag, out var was) && was.Equals(u)).Sum(u => u.CalculateSize());
        var sameMap = before.Observation.RawData.MapState.Equals(after.Observation.RawData.MapState) ? map : 0;
        return new Row(
            after.Observation.GameLoop,
            size / 1024.0,
            units.Count,
            100.0 * changed / units.Count,
            100.0 * moved / units.Count,
            100.0 * (size - kept - sameMap) / size,
            Statistics.Median(times),
            Statistics.Quantile(times, 0.99));
    }

    /// <summary>What one step of the match showed.</summary>
    /// <param name="Loop">The later of the two loops.</param>
    /// <param name="Kib">The observation's size.</param>
    /// <param name="Units">How many it tells.</param>
    /// <param name="Changed">Units of which any field changed, or that are new, in percent.</param>
    /// <param name="Moved">Units whose place changed, in percent.</param>
    /// <param name="Bytes">Bytes that do not stand in units that stayed the same or in images that did, in
    /// percent.</param>
    /// <param name="Median">Microseconds to build the response.</param>
    /// <param name="P99">The same, of the slowest in a hundred.</param>
    private sealed record Row(
        uint Loop, double Kib, int Units, double Changed, double Moved, double Bytes, double Median, double P99);
}
