using System.CommandLine;
using System.Globalization;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>What the bridge allocates for one subscriber more, over one transport.</summary>
/// <param name="Transport"><c>gRPC</c> or <c>WebSocket</c>.</param>
/// <param name="OneBytes">Allocated over all steps with one subscriber.</param>
/// <param name="ManyBytes">The same with many.</param>
/// <param name="Many">How many.</param>
/// <param name="Steps">Steps counted, after the warm-up.</param>
internal sealed record AllocationsRow(string Transport, long OneBytes, long ManyBytes, int Many, int Steps)
{
    /// <summary>Bytes a subscriber and step.</summary>
    public double PerSubscriberAndStep => (double)(ManyBytes - OneBytes) / (Many - 1) / Steps;
}

/// <summary>Everything that was measured.</summary>
internal sealed record AllocationsReport(
    Machine Machine, string Frames, double FrameBytes, double Rate, List<AllocationsRow> Rows);

/// <summary>
/// The command <c>allocations</c>: the readers are another process, so what is counted is the bridge's.
/// </summary>
internal static class AllocationsCommand
{
    private const int LimitBytes = 1000;
    private const int MostTypes = 30;
    private static readonly string[] _transports = ["gRPC", "WebSocket"];

    public static Command Create()
    {
        var steps = CommonOptions.Number("--steps", "Steps that are counted", 2000);
        var warmUp = CommonOptions.Number("--warm-up", "Steps before that", 300);
        var many = CommonOptions.Number("--subscribers", "Held against one", 64);
        var rate = CommonOptions.Number("--rate", "Steps a second; 0 is as fast as the readers go", 22.4);
        var types = new Option<bool>("--types")
        {
            Description = "Say of what type the bytes are, from samples, whose taking allocates as well",
        };
        var frames = CommonOptions.Frames();
        var json = CommonOptions.Json();
        var command = new Command(
            "allocations", "Bytes that the bridge allocates a subscriber and step; exits with 1 past 1,000")
        {
            steps, warmUp, many, rate, types, frames, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var source = FrameSource.Open(parsed.GetValue(frames), ct);
            var report = new AllocationsReport(
                Machine.Describe(), source.Origin, source.MeanLength, parsed.GetValue(rate), []);
            foreach (var transport in _transports)
            {
                Task<long> Measure(int readers) => MeasureAsync(
                    transport, readers, parsed.GetValue(warmUp), parsed.GetValue(steps), report.Rate, source, ct);
                var one = await Measure(1);
                using var sampled = parsed.GetValue(types) ? new AllocationTypes() : null;
                var readers = parsed.GetValue(many);
                report.Rows.Add(new AllocationsRow(
                    transport, one, await Measure(readers), readers, parsed.GetValue(steps)));
                foreach (var line in sampled?.Lines(MostTypes) ?? [])
                {
                    Console.Error.WriteLine($"{transport}: {line}");
                }
            }

            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return report.Rows.TrueForAll(row => row.PerSubscriberAndStep <= LimitBytes) ? 0 : 1;
        });
        return command;
    }

    private static async Task<long> MeasureAsync(
        string transport, int readers, int warmUp, int steps, double rate, MeasuredFrames frames, CancellationToken ct)
    {
        await using var host = await BridgeHost.StartAsync(ct);
        var (grpc, web) = transport == "gRPC" ? (readers, 0) : (0, readers);
        await using var group = await ReaderGroup.StartAsync(host, grpc, web, warmUp + steps, ct);
        await Pacer.RunAsync(warmUp, rate, () => host.PublishAsync(frames, ct), ct);
        var before = GC.GetTotalAllocatedBytes(precise: true);
        await Pacer.RunAsync(steps, rate, () => host.PublishAsync(frames, ct), ct);
        // The last frames may still be on their way: they count as well.
        await group.Result.WaitAsync(ct);
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }

    private static void Print(AllocationsReport report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average, ")
            + (report.Rate > 0 ? $"{report.Rate:0.#} a second" : "as fast as the readers go"));
        Console.WriteLine();
        Console.WriteLine(
            "| transport | subscribers | steps | bytes a step with one | with all | bytes a subscriber and step |");
        Console.WriteLine("| --- | --- | --- | --- | --- | --- |");
        foreach (var row in report.Rows)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {row.Transport} | {row.Many} less 1 | {row.Steps} | {row.OneBytes / (double)row.Steps:0} "
                + $"| {row.ManyBytes / (double)row.Steps:0} | {row.PerSubscriberAndStep:0} |"));
        }
    }
}
