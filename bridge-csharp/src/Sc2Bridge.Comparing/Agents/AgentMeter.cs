using Sc2Bridge.Streaming;

namespace Sc2Bridge.Comparing.Agents;

/// <summary>What this process uses from the first frame that counts to the last, of all its subscriptions.</summary>
internal sealed class AgentMeter
{
    private readonly Lock _lock = new();
    private (long Ns, double Cpu)? _begin;
    private (long Ns, double Cpu) _end;

    /// <summary>How long it was.</summary>
    public double Seconds => _begin is { } begin ? (_end.Ns - begin.Ns) / 1e9 : 0;

    /// <summary>What it took of all processors.</summary>
    public double CpuSeconds => _begin is { } begin ? _end.Cpu - begin.Cpu : 0;

    /// <summary>Before the first frame that counts is parsed.</summary>
    public void Begin()
    {
        lock (_lock)
        {
            _begin ??= Now();
        }
    }

    /// <summary>After a subscription's last.</summary>
    public void End()
    {
        lock (_lock)
        {
            _end = Now();
        }
    }

    private static (long Ns, double Cpu) Now() =>
        (MonotonicClock.NowNs, Environment.CpuUsage.TotalTime.TotalSeconds);
}
