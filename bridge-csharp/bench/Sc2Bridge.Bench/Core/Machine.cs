using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Bench;

/// <summary>What the figures were measured on.</summary>
internal sealed record Machine(
    string Processor,
    int Cores,
    string System,
    string Runtime,
    string GarbageCollector,
    string Build,
    double LoadAtStart)
{
    public static Machine Describe() => new(
        ProcessorName(),
        Environment.ProcessorCount,
        $"{RuntimeInformation.OSDescription} {RuntimeInformation.OSArchitecture}",
        RuntimeInformation.FrameworkDescription,
        $"{(GCSettings.IsServerGC ? "server" : "workstation")}, {GCSettings.LatencyMode.ToString().ToLowerInvariant()}",
        BuildKind,
        Load());

    /// <summary>Each fact's name and words.</summary>
    public IEnumerable<(string Name, string Words)> Facts() =>
    [
        ("machine", FormattableString.Invariant($"{Processor}, {Cores} cores, load {LoadAtStart:0.00} at the start")),
        ("system", System),
        ("runtime", $"{Runtime}, {Build}, garbage collector: {GarbageCollector}"),
    ];

    private static string BuildKind =>
#if DEBUG
        "Debug (figures from a Debug build say nothing: run with -c Release)";
#else
        "Release";
#endif

    private static string ProcessorName()
    {
        const string info = "/proc/cpuinfo";
        var line = File.Exists(info)
            ? File.ReadLines(info).FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))
            : null;
        return line?.Split(':', 2)[1].Trim() ?? RuntimeInformation.ProcessArchitecture.ToString();
    }

    // The share of other work on the machine decides how far the figures can be trusted.
    private static double Load()
    {
        const string load = "/proc/loadavg";
        return File.Exists(load)
            ? double.Parse(File.ReadAllText(load).Split(' ')[0], CultureInfo.InvariantCulture)
            : double.NaN;
    }
}
