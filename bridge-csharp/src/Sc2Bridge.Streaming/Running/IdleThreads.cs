namespace Sc2Bridge.Streaming;

/// <summary>How the threads of .NET's pool wait for work: a process is told once, before it first uses them.</summary>
public static class IdleThreads
{
    // Read by PortableThreadPool.WorkerThread, when the first of them begins (dotnet/runtime).
    private const string Setting = "System.Threading.ThreadPool.UnfairSemaphoreSpinLimit";
    private const string Variable = "DOTNET_ThreadPool_UnfairSemaphoreSpinLimit";

    // Above it work comes before much was spun for.
    private const double MostHz = 100;

    /// <summary>
    /// Whether they should sleep at once: until the next step they would spin in vain. At <see cref="StepRate.Max"/> work comes
    /// at once, and who sleeps wakes late.
    /// </summary>
    /// <param name="rate">How fast the process's match goes.</param>
    public static bool ShouldSleep(StepRate rate)
    {
        ArgumentNullException.ThrowIfNull(rate);
        return rate.Realtime || rate.Hz is > 0 and <= MostHz;
    }

    /// <summary>Has them sleep at once, unless a variable of the environment says how they wait.</summary>
    public static void Sleep()
    {
        if (Environment.GetEnvironmentVariable(Variable) is null)
        {
            AppContext.SetData(Setting, 0);
        }
    }

    /// <summary><see cref="Sleep"/>, where they should.</summary>
    /// <param name="rate">As <see cref="StepRate.Parse"/> takes it; nothing is done for what it refuses.</param>
    public static void SleepAt(string rate)
    {
        try
        {
            if (ShouldSleep(StepRate.Parse(rate)))
            {
                Sleep();
            }
        }
        catch (GameException)
        {
            // Who plays at it says so.
        }
    }
}
