using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Sc2Bridge.Bench;

/// <summary>Small, medium and large messages by BenchmarkDotNet with its memory diagnoser, in this process.</summary>
internal static class BenchmarkedMessages
{
    /// <summary>Measures.</summary>
    /// <param name="dry">Runs each once, and says nothing about time.</param>
    /// <exception cref="CommandException">It could not run.</exception>
    internal static IReadOnlyList<MessageRow> Measure(bool dry = false)
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
            throw new CommandException("BenchmarkDotNet could not run the messages");
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
internal class MessageBenchmarks
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
