using System.CommandLine;
using System.CommandLine.Parsing;

namespace Sc2Bridge.Terminal;

/// <summary>How the threads of .NET's pool wait for work.</summary>
public static class IdleThreads
{
    private const string SpinLimit = "ThreadPool_UnfairSemaphoreSpinLimit";

    /// <summary>
    /// Has them sleep at once where <c>--rate</c> sets a pace: until the next step, some 40 ms away, they would spin in vain. At
    /// <c>max</c> work comes at once, and who sleeps wakes late. Works before the pool is first used; a variable of the
    /// environment that says how (<c>DOTNET_ThreadPool_UnfairSemaphoreSpinLimit</c>) is kept to.
    /// </summary>
    /// <param name="parsed">The command line.</param>
    public static void SleepWherePaced(ParseResult parsed)
    {
        ArgumentNullException.ThrowIfNull(parsed);
        if (parsed.GetResult("--rate") is OptionResult { Tokens: [var rate] }
            && !rate.Value.Equals("max", StringComparison.OrdinalIgnoreCase)
            && Environment.GetEnvironmentVariable($"DOTNET_{SpinLimit}") is null)
        {
            AppContext.SetData($"System.Threading.{SpinLimit.Replace('_', '.')}", 0);
        }
    }
}
