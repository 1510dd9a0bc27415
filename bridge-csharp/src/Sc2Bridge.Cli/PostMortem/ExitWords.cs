using System.Text.RegularExpressions;

namespace Sc2Bridge.Cli;

/// <summary>What the exit code and the last lines of a process reveal.</summary>
internal static partial class ExitWords
{
    /// <summary>How many of the last lines of a process may name the reason of its end.</summary>
    internal const int LastWords = 5;

    private const int KillSignal = 9;

    // Texts of runtimes (Python, C++, .NET, Linux) about missing memory.
    private static readonly string[] MemoryTexts =
        ["MemoryError", "std::bad_alloc", "OutOfMemoryException", "Out of memory", "out of memory", "Cannot allocate memory", "insufficient memory"];

    // The signals that end processes, in Linux and macOS.
    private static readonly Dictionary<int, string> Names = new[]
    {
        (1, "SIGHUP"), (2, "SIGINT"), (3, "SIGQUIT"), (4, "SIGILL"), (6, "SIGABRT"), (8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV"), (13, "SIGPIPE"), (15, "SIGTERM"),
    }.ToDictionary();

    /// <summary>The signal that ended a process; null if it ended by itself.</summary>
    internal static int? SignalOf(int? code) => code > 128 && !OperatingSystem.IsWindows() ? code - 128 : null;

    /// <summary>Whether the signal is one that other processes send. Other signals, such as SIGSEGV, come from the program's own failures.</summary>
    internal static bool WasKilled(int? code) => SignalOf(code) is 1 or 2 or 3 or 9 or 15;

    /// <summary>Whether a process ended by a signal with which users and service managers stop programs.</summary>
    internal static bool WasStopped(int? code) => SignalOf(code) is 1 or 2 or 3 or 15;

    /// <summary>How a process ended, as the end of a sentence.</summary>
    internal static string Describe(int code) => SignalOf(code) is { } signal
        ? $"was ended by signal {signal}{(Names.TryGetValue(signal, out var name) ? $" ({name})" : "")}"
        : $"ended with exit code {code}";

    /// <summary>Whether a process ended because no memory was left.</summary>
    /// <param name="code">The exit code.</param>
    /// <param name="lines">The last lines of its errors.</param>
    /// <param name="hasSystemRunOut">Whether the system killed a process because no memory was left.</param>
    internal static bool MeansOutOfMemory(int? code, IEnumerable<string> lines, bool hasSystemRunOut) =>
        (hasSystemRunOut && SignalOf(code) == KillSignal)
        || lines.Any(line => MemoryTexts.Any(text => line.Contains(text, StringComparison.Ordinal)));

    /// <summary>The line that names the exception of the last traceback; null without a traceback. Frames of a traceback are indented.</summary>
    internal static string? ExceptionOf(IReadOnlyList<string> traceback) => traceback
        .Reverse().TakeWhile(line => !line.StartsWith("Traceback", StringComparison.Ordinal)).Reverse()
        .Take(traceback.Any(line => line.StartsWith("Traceback", StringComparison.Ordinal)) ? traceback.Count : 0)
        .FirstOrDefault(line => ExceptionLine().IsMatch(line) && !line.StartsWith("sc2bridge: ", StringComparison.Ordinal));

    [GeneratedRegex(@"^[\w.<>]+(: |:?$)")]
    private static partial Regex ExceptionLine();
}
