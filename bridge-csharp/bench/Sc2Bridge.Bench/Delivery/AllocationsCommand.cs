using System.CommandLine;
using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What the bridge allocates for one subscriber more, over one transport.</summary>
/// <param name="Transport"><c>gRPC</c> or <c>WebSocket</c>.</param>
/// <param name="OneBytes">Allocated over all steps with one subscriber.</param>
/// <param name="ManyBytes">The same with many.</param>
/// <param name="Many">How many.</param>
/// <param name="Steps">Steps counted, after the warm-up.</param>
internal sealed record AllocationsRow(string Transport, long OneBytes, long ManyBytes, int Many, int Steps)
{
    public double PerSubscriberAndStep => (double)(ManyBytes - OneBytes) / (Many - 1) / Steps;
}

/// <summary>Everything that was measured.</summary>
internal sealed record AllocationsReport(
    Machine Machine, string Frames, double FrameBytes, double Rate, List<AllocationsRow> Rows);

/// <summary>The command <c>allocations</c>: the subscribers are another process, so what is counted is the bridge's.</summary>
internal static class AllocationsCommand
{
    private const int LimitBytes = 1500;

    public static Command Create()
    {
        var steps = BenchCommand.Number("--steps", "steps that are counted", 2000);
        var warmUp = BenchCommand.Number("--warm-up", "steps before that", 300);
        var many = BenchCommand.Number("--subscribers", "held against one", 64);
        var rate = BenchCommand.Number("--rate", "steps a second; 0 is as fast as the subscribers go", 22.4);
        return BenchCommand.Create(
            "allocations",
            "Bytes that the bridge allocates a subscriber and step; exits with 1 past 1,500.",
            [steps, warmUp, many, rate],
            async (parsed, ct) =>
            {
                var source = MeasuredFrames.Simulate(ct);
                var report = new AllocationsReport(
                    Machine.Describe(), source.Origin, source.MeanLength, parsed.GetValue(rate), []);
                var (all, counted) = (parsed.GetValue(many), parsed.GetValue(steps));
                foreach (var transport in (string[])["gRPC", "WebSocket"])
                {
                    Task<long> Measure(int subscribers) =>
                        MeasureAsync(transport, subscribers, parsed.GetValue(warmUp), counted, report.Rate, source, ct);
                    report.Rows.Add(new AllocationsRow(transport, await Measure(1), await Measure(all), all, counted));
                }

                return report;
            },
            Print,
            report => report.Rows.TrueForAll(row => row.PerSubscriberAndStep <= LimitBytes));
    }

    private static async Task<long> MeasureAsync(
        string transport, int subscribers, int warmUp, int steps, double rate, MeasuredFrames frames, CancellationToken ct)
    {
        await using var host = await BridgeHost.StartAsync(ct);
        var (grpc, web) = transport == "gRPC" ? (subscribers, 0) : (0, subscribers);
        await using var group = await LightSubscribers.StartAsync(host, grpc, web, ct);
        await Pacer.RunAsync(warmUp, rate, () => host.PublishAsync(frames, ct), ct);
        var before = GC.GetTotalAllocatedBytes(precise: true);
        await Pacer.RunAsync(steps, rate, () => host.PublishAsync(frames, ct), ct);

        // The last frames may still be on their way: they count as well.
        host.Hub.End(new MatchEnd { MatchId = BridgeHost.MatchId });
        await group.ResultAsync(warmUp + steps, ct);
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }

    private static void Print(Output output, AllocationsReport report)
    {
        output.Frames(report.Machine, report.Frames, report.FrameBytes);
        output.Table(
            report.Rate > 0 ? Invariant($"allocated at {report.Rate} steps a second") : "allocated as fast as subscribers go",
            report.Rows,
            ("transport", row => row.Transport),
            ("subscribers", row => Output.Whole(row.Many)),
            ("steps", row => Output.Whole(row.Steps)),
            ("one: bytes a step", row => Output.Whole(row.OneBytes / (double)row.Steps)),
            ("all: bytes a step", row => Output.Whole(row.ManyBytes / (double)row.Steps)),
            ("bytes a subscriber and step", row => Output.Whole(row.PerSubscriberAndStep)));
    }
}
