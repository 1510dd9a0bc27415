using System.CommandLine;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>Everything that was measured.</summary>
/// <param name="Machine">On what.</param>
/// <param name="Steps">Steps in each repeat.</param>
/// <param name="ResidentBytes">The bridge's resident memory after each repeat, its subscribers gone, and a full garbage collection.</param>
/// <param name="Subscriptions">Those that came and went.</param>
internal sealed record MemoryReport(Machine Machine, int Steps, List<long> ResidentBytes, long Subscriptions)
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
        var repeats = BenchCommand.Number("--repeats", "how often the steps are published, at least 2", 5);
        var steps = BenchCommand.Number("--steps", "late steps of the simulated match", 2000);
        var rate = BenchCommand.Number("--rate", "steps a second", 100.0);
        var clients = BenchCommand.Number("--clients", "subscribers at a time", 8);
        return BenchCommand.Create(
            "memory",
            "Resident memory while subscribers come and go; exits with 1 where it grows past 5 %.",
            [repeats, steps, rate, clients],
            (parsed, ct) => parsed.GetValue(repeats) < 2
                ? throw new CommandException("--repeats: growth is told from the second on, give at least 2")
                : MeasureAsync(
                    parsed.GetValue(repeats), parsed.GetValue(steps), parsed.GetValue(rate), parsed.GetValue(clients), ct),
            Print,
            report => report.Growth <= MostGrowth);
    }

    private static async Task<MemoryReport> MeasureAsync(
        int repeats, int steps, double rate, int clients, CancellationToken ct)
    {
        using var frames = new StepsOnDisk(steps, ct);
        var report = new MemoryReport(Machine.Describe(), frames.Count, [], 0);
        await using var host = await BridgeHost.StartAsync(ct);
        using var pace = new PeriodicTimer(TimeSpan.FromSeconds(1 / rate));
        var subscriptions = 0L;
        for (var repeat = 0; repeat < repeats; repeat++)
        {
            var names = new HashSet<string>(StringComparer.Ordinal);
            await using (await ChurnClients.StartAsync(host, clients, ct))
            {
                for (var index = 0; index < frames.Count; index++)
                {
                    await pace.WaitForNextTickAsync(ct);
                    await host.PublishAsync(frames.Read(index), ct);
                    names.UnionWith(host.Hub.Subscribers.Select(subscriber => subscriber.Name));
                }
            }

            // What waited for slow readers at the moment of reading is no matter of the repeats before.
            await host.EmptyAsync(ct);
            subscriptions += names.Count;
            report.ResidentBytes.Add(ResidentBytes());
            Console.Error.WriteLine(Invariant($"repeat {repeat + 1}: {report.ResidentBytes[^1] / 1048576.0:0.0} MiB"));
        }

        return report with { Subscriptions = subscriptions };
    }

    // After a full collection: a leak outlives it; what the collector keeps in reserve, more or less by chance, does not.
    private static long ResidentBytes()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        return Environment.WorkingSet;
    }

    private static void Print(Output output, MemoryReport report)
    {
        output.Machine(report.Machine);
        var table = new TextTable("resident memory after each repeat", ["repeat"], "MiB");
        foreach (var (index, bytes) in report.ResidentBytes.Index())
        {
            table.Add($"{index + 1}", Output.Fixed(bytes / 1048576.0, 1));
        }

        output.Table(table);
        output.Line(Invariant($"after the last repeat {report.Growth:0.000} times the memory after the second (at most ")
            + Invariant($"{MostGrowth} is wanted); {report.Subscriptions} subscriptions of {ChurnClients.Kinds} kinds"));
    }
}
