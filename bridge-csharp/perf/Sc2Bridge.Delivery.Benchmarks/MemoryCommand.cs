using System.CommandLine;
using System.Globalization;
using Sc2Bridge.Measuring;

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

            using var frames = new StepsOnDisk(parsed.GetValue(steps), ct);
            var report = new MemoryReport(machine, frames.Count, [], 0);
            report = await MeasureAsync(
                report, frames, parsed.GetValue(repeats), parsed.GetValue(rate), parsed.GetValue(visitors), ct);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return report.Growth <= MostGrowth ? 0 : 1;
        });
        return command;
    }

    private static async Task<MemoryReport> MeasureAsync(
        MemoryReport report,
        StepsOnDisk frames,
        int repeats,
        double rate,
        int visitors,
        CancellationToken ct)
    {
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
            report.ResidentBytes.Add(ResidentMemory.Measure());
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"repeat {repeat + 1}: {report.ResidentBytes[^1] / 1048576.0:0.0} MiB, {visits} subscriptions so far"));
        }

        return report with { Visits = visits };

        async Task PublishAsync()
        {
            for (var index = 0; index < frames.Count; index++)
            {
                await pace.WaitForNextTickAsync(ct);
                await host.PublishAsync(frames.Read(index), ct);
                names.UnionWith(host.Hub.Subscribers.Select(subscriber => subscriber.Name));
            }

            visits += names.Count;
            names.Clear();
        }
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
