using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using Xunit.v3;

namespace Sc2Bridge.Testing;

/// <summary>
/// Ends the process if one test runs for too long, and prints the test's name. Without it, a test that hangs would be
/// seen only when the whole suite is killed. Every test assembly has this attribute (Directory.Build.props).
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class TestDeadlineAttribute(int seconds) : BeforeAfterTestAttribute
{
    private static readonly ConcurrentDictionary<string, Timer> _running = new();

    /// <summary>The limit of an ordinary test.</summary>
    public int Seconds { get; } = seconds;

    public override void Before(MethodInfo methodUnderTest, IXunitTest test)
    {
        var isLong = test.Traits.TryGetValue("Suite", out var suites) && suites.Contains("Long");
        var limit = TimeSpan.FromSeconds(isLong ? 10 * Seconds : Seconds);
        _running[test.UniqueID] = new Timer(_ => End(test.TestDisplayName, limit), null, limit, Timeout.InfiniteTimeSpan);
    }

    public override void After(MethodInfo methodUnderTest, IXunitTest test)
    {
        if (_running.TryRemove(test.UniqueID, out var timer))
        {
            timer.Dispose();
        }
    }

    private static void End(string test, TimeSpan limit)
    {
        Console.WriteLine($"hang: {test} did not end within {limit.TotalSeconds:0} s");
        Console.Out.Flush();
        using var process = Process.GetCurrentProcess();
        foreach (var task in Directory.Exists("/proc/self/task") ? Directory.GetDirectories("/proc/self/task") : [])
        {
            foreach (var child in File.ReadAllText($"{task}/children").Split(' ', StringSplitOptions.RemoveEmptyEntries))
            {
                using var started = Process.GetProcessById(int.Parse(child, CultureInfo.InvariantCulture));
                started.Kill(entireProcessTree: true);
            }
        }

        process.Kill();
    }
}
