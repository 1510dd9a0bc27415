using System.Globalization;
using System.Reflection;
using System.Runtime;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Bench;

/// <summary>What the figures were measured on.</summary>
internal sealed record Machine(
    string Processor, int Cores, string System, string Runtime, string GarbageCollector, string Build, string Commit, double LoadAtStart)
{
    public static Machine Describe() => new(
        ProcessorName(), Environment.ProcessorCount,
        $"{RuntimeInformation.OSDescription} {RuntimeInformation.OSArchitecture}",
        RuntimeInformation.FrameworkDescription,
        $"{(GCSettings.IsServerGC ? "server" : "workstation")}, {GCSettings.LatencyMode.ToString().ToLowerInvariant()}",
        BuildKind, typeof(Machine).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[^1],
        Load());

    /// <summary>Each fact's name and words.</summary>
    public IEnumerable<(string Name, string Words)> Facts() =>
    [
        ("machine", FormattableString.Invariant($"{Processor}, {Cores} cores, load {LoadAtStart:0.00} at the start")),
        ("system", System),
        ("commit", Commit),
        ("runtime", $"{Runtime}, {Build}, garbage collector: {GarbageCollector}"),
    ];

    private static string BuildKind =>
#if DEBUG
        "Debug (figures from a Debug build say nothing: run with -c Release)";
#else
        "Release";
#endif

    private static string ProcessorName() =>
        Lines("/proc/cpuinfo").FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))?.Split(':', 2)[1].Trim()
        ?? RuntimeInformation.ProcessArchitecture.ToString();

    // The share of other work on the machine decides how far the figures can be trusted.
    private static double Load() => Lines("/proc/loadavg").FirstOrDefault() is { } line
        ? double.Parse(line.Split(' ')[0], CultureInfo.InvariantCulture)
        : double.NaN;

    private static IEnumerable<string> Lines(string path) => File.Exists(path) ? File.ReadLines(path) : [];
}
