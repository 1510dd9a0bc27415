namespace Sc2Bridge.Streaming;

/// <summary>
/// Decides how the bridge does, for the health checks, the live table and the log: it looks each second at what the last
/// ones brought, and tells in a line when a reason begins and when it is over. Thread-safe.
/// </summary>
public sealed class HealthOfBridge : IDisposable
{
    private const int Looks = 5;
    private const int MostNamed = 4;

    // Of the memory that there is.
    private const double Ceiling = 0.9;

    // In a match that has no rate a step may take as long.
    private static readonly TimeSpan _usualStep = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly Hub _hub;
    private readonly Func<(long Used, long Limit)> _memory;
    private readonly Dictionary<string, Func<(long Lost, string? Problem)>> _watched = [];
    private readonly Dictionary<string, Func<string?>> _asked = [];
    private readonly Queue<Look> _past = new();
    private readonly ITimer _timer;
    private string[] _reasons = [];

    /// <summary>Begins to look.</summary>
    /// <param name="hub">What agents subscribe to; gets the alerts.</param>
    public HealthOfBridge(Hub hub)
        : this(
            hub, static () => (Environment.WorkingSet, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes),
            TimeProvider.System)
    {
    }

    internal HealthOfBridge(Hub hub, Func<(long Used, long Limit)> memory, TimeProvider time)
    {
        ArgumentNullException.ThrowIfNull(hub);
        (_hub, _memory) = (hub, memory);

        // What a timer's callback throws would end the process.
        var looks = new SidePath("health", hub.Logger);
        _timer = time.CreateTimer(
            _ => looks.Try(this, static health => health.LookNow()), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
    }

    /// <summary>How it does.</summary>
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

    /// <summary>Has what goes to a disk looked at, in the place of what had its name before.</summary>
    /// <param name="name">As people know it.</param>
    /// <param name="losses">How many of its items were lost so far, and why, as one line; without a reason the disk is too slow.</param>
    public void Watch(string name, Func<(long Lost, string? Problem)> losses)
    {
        lock (_lock)
        {
            _watched[name] = losses;
        }
    }

    /// <summary>Has what knows by itself how it does asked, in the place of what had its name before.</summary>
    /// <param name="name">What it is.</param>
    /// <param name="problem">Why it does not do well, as one line that stays the same; null where it does.</param>
    public void Ask(string name, Func<string?> problem)
    {
        lock (_lock)
        {
            _asked[name] = problem;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    /// <summary>A second has passed.</summary>
    internal void LookNow()
    {
        string[] before, now;
        lock (_lock)
        {
            var look = new Look(
                _hub.Subscribers.Where(one => !one.HasEnded).DistinctBy(one => one.Name).ToDictionary(
                    one => one.Name,
                    one => new Holder(one.Internal, one.Held, _hub.Perspectives.NewestStep(one.Perspective ?? 0))),
                _watched.ToDictionary(one => one.Key, one => one.Value()));
            _past.Enqueue(look);
            if (_past.Count > Looks + 1)
            {
                _past.Dequeue();
            }

            now = [.. Slow(look).Concat(Losing(look)).Concat(Memory())
                .Concat(_asked.Values.Select(problem => problem()).OfType<string>()).Distinct().Order(StringComparer.Ordinal)];
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

    // Those for whom the match has waited longer than its steps may take.
    private IEnumerable<string> Slow(Look look)
    {
        var rate = _hub.CurrentMatch.Match?.Rate ?? 0;
        var step = rate > 0 ? TimeSpan.FromSeconds(1 / rate) : _usualStep;
        var slow = look.Holders.Where(now => _past.Select(past => past.Holders.GetValueOrDefault(now.Key))
            .FirstOrDefault(past => past is not null) is { } past
            && now.Value.Held - past.Held > step * (now.Value.Step > past.Step ? now.Value.Step - past.Step : 1)).ToList();
        var agents = slow.Where(one => !one.Value.Internal).ToList();
        return slow.Where(one => one.Value.Internal)
            .Select(one => $"the disk does not keep up: the match waits for the {one.Key}")
            .Concat(agents.Count > MostNamed
                ? ["many agents slow the match"]
                : agents.Select(one => $"agent '{one.Key}' slows the match"));
    }

    private IEnumerable<string> Losing(Look look) =>
        from one in look.Losses
        where _past.Any(past => past.Losses.TryGetValue(one.Key, out var before) && one.Value.Lost > before.Lost)
        select one.Value.Problem ?? $"the disk does not keep up: {one.Key} has losses";

    private IEnumerable<string> Memory() =>
        _memory() is var (used, limit) && used > Ceiling * limit ? ["memory is near its ceiling"] : [];

    private sealed record Look(
        IReadOnlyDictionary<string, Holder> Holders, IReadOnlyDictionary<string, (long Lost, string? Problem)> Losses);

    private sealed record Holder(bool Internal, TimeSpan Held, ulong Step);
}
