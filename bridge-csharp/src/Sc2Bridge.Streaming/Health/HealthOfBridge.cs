namespace Sc2Bridge.Streaming;

/// <summary>
/// Decides the health of the bridge, for health checks, the live table and the log. Each second, this class compares
/// the counters with their values of the last five seconds. It reports one line when a problem starts, and another when
/// the problem ends. Thread-safe.
/// </summary>
public sealed class HealthOfBridge : IDisposable
{
    private const int ComparedSeconds = 5;
    private const int MostNamedAgents = 4;

    // The bridge is degraded if it uses more than this share of the available memory.
    private const double MemoryCeilingShare = 0.9;

    // How long a step may take if the match has no rate.
    private static readonly TimeSpan _defaultStepTime = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly Hub _hub;
    private readonly Func<(long Used, long Limit)> _readMemory;
    private readonly Dictionary<string, Func<(long Lost, string? Problem)>> _outputs = [];
    private readonly Dictionary<string, Func<string?>> _checks = [];
    private readonly Queue<Sample> _pastSamples = new();
    private readonly ITimer _timer;
    private string[] _reasons = [];

    /// <summary>Starts to check once a second.</summary>
    /// <param name="hub">The hub; it also receives the alerts.</param>
    public HealthOfBridge(Hub hub)
        : this(
            hub, static () => (Environment.WorkingSet, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes),
            TimeProvider.System)
    {
    }

    internal HealthOfBridge(Hub hub, Func<(long Used, long Limit)> memory, TimeProvider time)
    {
        ArgumentNullException.ThrowIfNull(hub);
        (_hub, _readMemory) = (hub, memory);

        // An exception in a timer's callback would end the process.
        var checks = new SidePath("health", hub.Logger);
        _timer = time.CreateTimer(
            _ => checks.Try(this, static health => health.CheckNow()), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
    }

    /// <summary>The current health.</summary>
    public BridgeHealth Now
    {
        get
        {
            if (_hub.IsOver)
            {
                return new BridgeHealth(HealthState.NotServing, ["the last match is over"]);
            }

            var reasons = Volatile.Read(ref _reasons);
            return new BridgeHealth(reasons.Length == 0 ? HealthState.Serving : HealthState.Degraded, reasons);
        }
    }

    /// <summary>Monitors an output that writes to disk. Replaces an earlier output with the same name.</summary>
    /// <param name="name">The name to show.</param>
    /// <param name="losses">
    /// Returns the number of lost items so far, and the reason as one line. If the reason is null, the disk is too slow.
    /// </param>
    public void WatchOutput(string name, Func<(long Lost, string? Problem)> losses)
    {
        lock (_lock)
        {
            _outputs[name] = losses;
        }
    }

    /// <summary>Adds a check that runs each second. Replaces an earlier check with the same name.</summary>
    /// <param name="name">The name of the check.</param>
    /// <param name="problem">Returns the problem as one line, with the same words each time; null if there is no problem.</param>
    public void AddCheck(string name, Func<string?> problem)
    {
        lock (_lock)
        {
            _checks[name] = problem;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    /// <summary>Called once a second.</summary>
    internal void CheckNow()
    {
        string[] before, now;
        lock (_lock)
        {
            var sample = new Sample(
                _hub.Subscribers.Where(one => !one.HasEnded).DistinctBy(one => one.Name).ToDictionary(
                    one => one.Name,
                    one => new SubscriberSample(one.Internal, one.HoldTime, _hub.Perspectives.NewestStep(one.Perspective ?? 0))),
                _outputs.ToDictionary(one => one.Key, one => one.Value()));
            _pastSamples.Enqueue(sample);
            if (_pastSamples.Count > ComparedSeconds + 1)
            {
                _pastSamples.Dequeue();
            }

            now = [.. SlowSubscribers(sample).Concat(LosingOutputs(sample)).Concat(MemoryProblems())
                .Concat(_checks.Values.Select(problem => problem()).OfType<string>()).Distinct().Order(StringComparer.Ordinal)];
            before = _reasons;
            Volatile.Write(ref _reasons, now);
        }

        foreach (var reason in now.Except(before))
        {
            _hub.Events.Notice($"degraded: {reason}");
        }

        foreach (var reason in before.Except(now))
        {
            _hub.Events.Notice($"no longer: {reason}");
        }
    }

    // Subscribers for which the match has waited longer than its steps may take.
    private IEnumerable<string> SlowSubscribers(Sample sample)
    {
        var rate = _hub.CurrentMatch.Match?.Rate ?? 0;
        var step = rate > 0 ? TimeSpan.FromSeconds(1 / rate) : _defaultStepTime;
        var slow = sample.SubscriberSamples.Where(now => _pastSamples.Select(past => past.SubscriberSamples.GetValueOrDefault(now.Key))
            .FirstOrDefault(past => past is not null) is { } past
            && now.Value.HoldTime - past.HoldTime > step * (now.Value.Step > past.Step ? now.Value.Step - past.Step : 1)).ToList();
        var agents = slow.Where(one => !one.Value.Internal).ToList();
        return slow.Where(one => one.Value.Internal)
            .Select(one => $"the disk does not keep up: the match waits for the {one.Key}")
            .Concat(agents.Count > MostNamedAgents
                ? ["many agents slow the match"]
                : agents.Select(one => $"agent '{one.Key}' slows the match"));
    }

    private IEnumerable<string> LosingOutputs(Sample sample) =>
        from one in sample.Losses
        where _pastSamples.Any(past => past.Losses.TryGetValue(one.Key, out var before) && one.Value.Lost > before.Lost)
        select one.Value.Problem ?? $"the disk does not keep up: {one.Key} has losses";

    private IEnumerable<string> MemoryProblems() =>
        _readMemory() is var (used, limit) && used > MemoryCeilingShare * limit ? ["memory is near its ceiling"] : [];

    private sealed record Sample(
        IReadOnlyDictionary<string, SubscriberSample> SubscriberSamples, IReadOnlyDictionary<string, (long Lost, string? Problem)> Losses);

    private sealed record SubscriberSample(bool Internal, TimeSpan HoldTime, ulong Step);
}
