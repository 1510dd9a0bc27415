using System.CommandLine;
using System.Globalization;
using Sc2Bridge.Measuring;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Everything that was measured.</summary>
/// <param name="Machine">On what.</param>
/// <param name="Steps">Steps in each repeat.</param>
/// <param name="ResidentBytes">The bridge's resident memory after each repeat, its subscribers gone, and a full garbage collection.</param>
/// <param name="Visits">Subscriptions that came and went.</param>
internal sealed record MemoryReport(Machine Machine, int Steps, List<long> ResidentBytes, long Visits)
{
    /// <summary>The last over the second.</summary>
    public double Growth => (double)ResidentBytes[^1] / ResidentBytes[1];
}

/// <summary>
/// The command <c>memory</c>: the same late steps again and again, with subscribers of every transport, content and
/// compression coming and going in another process.
/// </summary>
internal static class MemoryCommand
{
    private const double MostGrowth = 1.05;

    public static Command Create()
    {
        var repeats = CommonOptions.Number("--repeats", "How often the steps are published, at least 2", 5);
        var steps = CommonOptions.Number("--steps", "Late steps of the simulated match", 2000);
        var rate = CommonOptions.Number("--rate", "Steps a second", 100.0);
        var visitors = CommonOptions.Number("--visitors", "Subscribers at a time", 8);
        var json = CommonOptions.Json();
        var command = new Command(
            "memory", "Resident memory while subscribers come and go; exits with 1 where it grows past 5 %")
        {
            repeats, steps, rate, visitors, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var machine = Machine.Describe();
            if (parsed.GetValue(repeats) < 2)
            {
                throw new MeasuringException("--repeats: growth is told from the second on, give at least 2");
            }

            var file = Path.GetTempFileName();
            try
            {
                var frames = Keep(file, parsed.GetValue(steps), ct);
                var report = new MemoryReport(machine, frames.Count, [], 0);
                report = await MeasureAsync(
                    report, file, frames, parsed.GetValue(repeats), parsed.GetValue(rate), parsed.GetValue(visitors), ct);
                Print(report);
                await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
                return report.Growth <= MostGrowth ? 0 : 1;
            }
            finally
            {
                File.Delete(file);
            }
        });
        return command;
    }

    // In a file: in memory they would hide what is measured.
    private static List<(long Start, int Length)> Keep(string path, int steps, CancellationToken ct)
    {
        var places = new List<(long, int)>();
        using var file = File.Create(path);
        foreach (var step in new MatchSteps(1, SimulatedFrames.LateLoop + steps, ct).Skip(SimulatedFrames.LateLoop))
        {
            places.Add((file.Position, step.Observation.Length));
            file.Write(step.Observation);
        }

        return places;
    }

    private static async Task<MemoryReport> MeasureAsync(
        MemoryReport report,
        string path,
        List<(long Start, int Length)> frames,
        int repeats,
        double rate,
        int visitors,
        CancellationToken ct)
    {
        using var file = File.OpenHandle(path);
        await using var host = await BridgeHost.StartAsync(ct);
        using var pace = new PeriodicTimer(TimeSpan.FromSeconds(1 / rate));
        var names = new HashSet<string>(StringComparer.Ordinal);
        var visits = 0L;
        for (var repeat = 0; repeat < repeats; repeat++)
        {
            await using (OwnProcess.Start(
                "visitors", "--grpc", host.GrpcAddress, "--web", host.WebAddress, "--count", $"{visitors}"))
            {
                await host.Hub.WaitForSubscribersAsync(visitors, ct);
                await PublishAsync();
            }

            // What waited for slow readers at the moment of reading is no matter of the repeats before.
            await host.EmptyAsync(ct);
            Collect();
            report.ResidentBytes.Add(Environment.WorkingSet);
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"repeat {repeat + 1}: {report.ResidentBytes[^1] / 1048576.0:0.0} MiB, {visits} subscriptions so far"));
        }

        return report with { Visits = visits };

        async Task PublishAsync()
        {
            foreach (var (start, length) in frames)
            {
                await pace.WaitForNextTickAsync(ct);
                var buffer = MessageBuffer.Rent(length);
                RandomAccess.Read(file, buffer.GetSpan(length)[..length], start);
                buffer.Advance(length);
                await host.PublishAsync(buffer, ct);
                names.UnionWith(host.Hub.Subscribers.Select(subscriber => subscriber.Name));
            }

            visits += names.Count;
            names.Clear();
        }
    }

    // A leak outlives this; what the collector keeps in reserve, more or less by chance, does not.
    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
    }

    private static void Print(MemoryReport report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"after the last repeat {report.Growth:0.000} times the memory after the second "
            + $"(at most {MostGrowth:0.00} is wanted); {report.Visits} subscriptions of {Visitors.Kinds} kinds"));
    }
}
