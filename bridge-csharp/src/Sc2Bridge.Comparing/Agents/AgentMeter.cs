namespace Sc2Bridge.Comparing.Agents;

/// <summary>
/// What this process uses between the first frame that counts and the last, of all its subscriptions: once the first is
/// parsed, so that there are as many frames in it as periods.
/// </summary>
internal sealed class AgentMeter
{
    private readonly Lock _lock = new();
    private (long Ns, double Cpu)? _begin;
    private (long Ns, double Cpu) _end;

    /// <summary>How long it was.</summary>
    public double Seconds => _begin is { } begin ? (_end.Ns - begin.Ns) / 1e9 : 0;

    /// <summary>What it took of all processors.</summary>
    public double CpuSeconds => _begin is { } begin ? _end.Cpu - begin.Cpu : 0;

    private static double Cpu => Environment.CpuUsage.TotalTime.TotalSeconds;

    /// <summary>After a subscription's first frame that counts; the last subscription's is what counts.</summary>
    /// <param name="parsedNs">When it was parsed.</param>
    public void Begin(long parsedNs)
    {
        lock (_lock)
        {
            _begin = (parsedNs, Cpu);
            _end = _begin.Value;
        }
    }

    /// <summary>After a subscription's last.</summary>
    /// <param name="parsedNs">When it was parsed.</param>
    public void End(long parsedNs)
    {
        lock (_lock)
        {
            _end = (Math.Max(_end.Ns, parsedNs), Cpu);
        }
    }
}
