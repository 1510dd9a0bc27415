using System.CommandLine;
using System.Text.Json;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Sc2Bridge.Measuring.Messages;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>
/// The command <c>messages</c>: small, medium and large messages by BenchmarkDotNet with its memory diagnoser, as
/// <c>sc2bridge codec --full</c> runs it. It prints rows as one line of JSON.
/// </summary>
internal static class MessagesCommand
{
    private static readonly JsonSerializerOptions Json = new() { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };

    public static Command Create()
    {
        var dry = new Option<bool>("--dry") { Description = "Runs each once, and says nothing about time" };
        var command = new Command("messages", "Small, medium and large messages by BenchmarkDotNet") { dry };
        command.SetAction(parsed =>
        {
            var rows = Run(parsed.GetValue(dry));
            Console.WriteLine(JsonSerializer.Serialize(rows, Json));
        });
        return command;
    }

    private static List<MessageRow> Run(bool dry)
    {
        // In this process: it runs as the bridge does, and nothing is built.
        var job = (dry ? Job.Dry : Job.ShortRun).WithToolchain(InProcessEmitToolchain.Instance);
        var config = ManualConfig.CreateEmpty()
            .AddJob(job)
            .AddLogger(NullLogger.Instance)
            .AddDiagnoser(MemoryDiagnoser.Default)
            .WithArtifactsPath(Path.Combine(Path.GetTempPath(), "sc2bridge-benchmarks"))
            .WithOptions(ConfigOptions.DisableOptimizationsValidator);
        var summary = BenchmarkRunner.Run<MessageBenchmarks>(config);
        if (summary.HasCriticalValidationErrors || summary.Reports.Any(report => !report.Success))
        {
            throw new MeasuringException("BenchmarkDotNet could not run the messages");
        }

        using var counter = new AllocationCounter();
        return [.. summary.Reports.Select(report => Row(report, counter))];
    }

    private static MessageRow Row(BenchmarkReport report, AllocationCounter counter)
    {
        var place = (int)report.BenchmarkCase.Parameters[nameof(MessageBenchmarks.Place)];
        var operation = MessageBenchmarks.Operations[place];
        var ns = report.ResultStatistics!.Mean;
        var bytes = report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? 0;
        return new MessageRow(
            operation.Message,
            operation.Format,
            operation.Library,
            operation.Verb,
            operation.UsedBytes,
            ns,
            bytes,
            counter.Count(operation.Do, bytes, ns),
            "BenchmarkDotNet");
    }
}

/// <summary>Each operation of <see cref="MessageOperation"/> as a benchmark.</summary>
public class MessageBenchmarks
{
    private Func<object?> _operation = () => null;

    /// <summary>Which operation.</summary>
    [ParamsSource(nameof(Places))]
    public int Place { get; set; }

    /// <summary>Their numbers.</summary>
    public static IEnumerable<int> Places => Enumerable.Range(0, Operations.Count);

    internal static IReadOnlyList<MessageOperation> Operations { get; } = Make();

    /// <summary>Picks it.</summary>
    [GlobalSetup]
    public void SetUp() => _operation = Operations[Place].Do;

    /// <summary>Does it.</summary>
    [Benchmark]
    public object? Do() => _operation();

    // The match's first observation and its last, which is as large as the published ones.
    private static MessageOperation[] Make()
    {
        var ends = new MatchSteps(2, 1, CancellationToken.None).Select(step => step.Observation).ToList();
        return [.. MessageOperation.Of(MessageCase.All(ends[0], ends[1]))];
    }
}
