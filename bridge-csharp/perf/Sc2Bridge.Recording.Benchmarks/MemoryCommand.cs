using System.CommandLine;
using System.Globalization;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recording.Benchmarks;

/// <summary>The command <c>memory</c>: the same late steps again and again into one recording.</summary>
internal static class MemoryCommand
{
    private const string Name = "benchmark";
    private const double MostGrowth = 1.05;

    public static Command Create()
    {
        var repeats = new Option<int>("--repeats")
        {
            Description = "How often the steps are recorded, at least 3",
            DefaultValueFactory = _ => 8,
        };
        var steps = new Option<int>("--steps")
        {
            Description = "Late steps of the simulated match",
            DefaultValueFactory = _ => 2000,
        };
        var json = new Option<FileInfo?>("--json") { Description = "A file that gets the results" };
        var command = new Command(
            "memory", "Resident memory while a match is recorded; exits with 1 where it grows past 5 %")
        {
            repeats, steps, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            if (parsed.GetValue(repeats) < 3)
            {
                throw new MeasuringException("--repeats: growth is told from the second to the last, give at least 3");
            }

            var path = Path.GetTempFileName();
            try
            {
                var report = await MeasureAsync(path, parsed.GetValue(steps), parsed.GetValue(repeats), ct);
                Console.WriteLine(report.Machine.Text);
                Console.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"after the last repeat {report.Growth:0.000} times the memory after the second (at most "
                    + $"{MostGrowth:0.00} is wanted)"));
                await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
                return report.Growth <= MostGrowth ? 0 : 1;
            }
            finally
            {
                File.Delete(path);
            }
        });
        return command;
    }

    private static async Task<Report> MeasureAsync(string path, int count, int repeats, CancellationToken ct)
    {
        using var steps = new StepsOnDisk(count, ct);
        using var hub = new Hub(new HubOptions());
        using var recorder = SteppedMatch.RecordTo(hub, path);
        hub.Announce(
            new MatchDescription { MatchId = Name, Perspectives = { 0 }, StepSize = 1, Simulated = true }, new NoGame());
        var report = new Report(Machine.Describe(), count, [], []);
        ulong next = 0;
        for (var repeat = 0; repeat < repeats; repeat++)
        {
            for (var index = 0; index < steps.Count; index++)
            {
                var buffer = steps.Read(index);
                var now = MonotonicClock.NowNs;
                var header = new FrameHeader(Name, 0, next, (uint)next, now, now);
                await hub.PublishAsync(ObservationFrame.Create(buffer, 0, buffer.Length, header), ct);
                next++;
            }

            while ((ulong)recorder.Figures.Observations < next)
            {
                await Task.Delay(1, ct);
            }

            report.ResidentBytes.Add(ResidentMemory.Measure());
            report.FileBytes.Add(recorder.Figures.Bytes);
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"repeat {repeat + 1}: {report.ResidentBytes[^1] / 1048576.0:0.0} MiB resident, "
                + $"{report.FileBytes[^1] / 1e6:0.0} MB recorded"));
        }

        var end = new MatchEnd { MatchId = Name, Step = next - 1 };
        hub.End(end);
        await recorder.EndAsync(end);
        return report;
    }

    private sealed class NoGame : IGameRequests
    {
        public Task<SC2APIProtocol.Response> RequestAsync(
            uint perspective, SC2APIProtocol.Request request, CancellationToken ct) =>
            throw new InvalidOperationException("Nobody asks in this benchmark.");
    }

    /// <summary>Everything that was measured, with resident memory and the file's size after each repeat.</summary>
    private sealed record Report(Machine Machine, int Steps, List<long> ResidentBytes, List<long> FileBytes)
    {
        /// <summary>The last over the second.</summary>
        public double Growth => (double)ResidentBytes[^1] / ResidentBytes[1];
    }
}
