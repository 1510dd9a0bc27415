namespace Sc2Bridge.Streaming;

/// <summary>Configures how idle threads of .NET's pool wait for work. After the process has first used the pool, a change has no effect.</summary>
public static class IdleThreads
{
    // PortableThreadPool.WorkerThread (dotnet/runtime) reads this setting when the first pool thread starts.
    private const string Setting = "System.Threading.ThreadPool.UnfairSemaphoreSpinLimit";
    private const string Variable = "DOTNET_ThreadPool_UnfairSemaphoreSpinLimit";

    // At a higher rate, the next step comes so soon that threads spin only for a short time.
    private const double MaxHz = 100;

    /// <summary>
    /// Whether idle threads should sleep at once instead of spinning until the next step. At <see cref="StepRate.Max"/> they should
    /// spin, because work arrives at once and a sleeping thread would wake up late.
    /// </summary>
    /// <param name="rate">The rate of the process's match.</param>
    public static bool ShouldDisableSpinning(StepRate rate)
    {
        ArgumentNullException.ThrowIfNull(rate);
        return rate.Realtime || rate.Hz is > 0 and <= MaxHz;
    }

    /// <summary>Makes idle threads sleep at once, unless the user has set .NET's environment variable for spinning.</summary>
    public static void DisableSpinning()
    {
        if (Environment.GetEnvironmentVariable(Variable) is null)
        {
            AppContext.SetData(Setting, 0);
        }
    }

    /// <summary>Calls <see cref="DisableSpinning"/> if threads should sleep at this rate.</summary>
    /// <param name="rate">The rate, in the format of <see cref="StepRate.Parse"/>. An invalid rate has no effect.</param>
    public static void DisableSpinningIfUsefulAt(string rate)
    {
        try
        {
            if (ShouldDisableSpinning(StepRate.Parse(rate)))
            {
                DisableSpinning();
            }
        }
        catch (GameException)
        {
            // An invalid rate is reported when the match starts.
        }
    }
}
