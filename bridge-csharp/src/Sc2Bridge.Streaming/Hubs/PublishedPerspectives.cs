using System.Collections.Concurrent;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The state of each perspective that a hub publishes. Thread-safe.</summary>
public sealed class PublishedPerspectives
{
    private readonly ConcurrentDictionary<uint, PublishedPerspective> _all = new();
    private readonly TimeProvider _time;

    // A perspective is made either before a match begins, and gets its actions then, or after, and has them at once.
    private readonly Lock _making = new();
    private Func<uint, SideActions> _acting;
    private volatile MatchDescription? _match;

    /// <param name="time">The clock of the deadlines.</param>
    /// <param name="acting">Makes what sends a side's actions while no match runs: it refuses all.</param>
    internal PublishedPerspectives(TimeProvider time, Func<uint, SideActions> acting) =>
        (_time, _acting, Idle) = (time, acting, acting(0));

    /// <summary>What refuses the actions of agents that have no match yet.</summary>
    internal SideActions Idle { get; }

    /// <summary>Whether the newest frames are kept.</summary>
    internal bool Keeps { get; private set; }

    /// <summary>
    /// When the game's answer with a step had arrived, by <see cref="MonotonicClock"/>; null if the step is unknown
    /// or more than 8,192 steps ago.
    /// </summary>
    public long? ObservedNs(uint perspective, ulong step) =>
        _all.TryGetValue(perspective, out var published) ? published.ObservedNs(step) : null;

    /// <summary>
    /// The newest step of a perspective, of the match that runs or ran last; 0 before its first. If there is no such
    /// perspective, how far the match is.
    /// </summary>
    public ulong NewestStep(uint perspective) =>
        _all.TryGetValue(perspective, out var published)
            ? published.Step
            : _all.Values.Select(any => any.Step).DefaultIfEmpty().Max();

    /// <summary>The newest step of a perspective that was observed; null if none was.</summary>
    public ulong? NewestObserved(uint perspective) =>
        NewestStep(perspective) is var newest && ObservedNs(perspective, newest) is null ? null : newest;

    /// <summary>A perspective's state, made on the first call. Called for each frame, so only the first call takes the lock.</summary>
    internal PublishedPerspective Of(uint perspective)
    {
        if (_all.TryGetValue(perspective, out var made))
        {
            return made;
        }

        lock (_making)
        {
            return _all.GetOrAdd(perspective, one => new PublishedPerspective(_time, _acting(one)));
        }
    }

    /// <summary>The state of the perspective of a frame that is about to be published.</summary>
    /// <exception cref="InvalidOperationException">Its match does not run.</exception>
    internal PublishedPerspective Of(in FrameHeader header) => header.MatchId == _match?.MatchId
        ? Of(header.Perspective)
        : throw new InvalidOperationException(
            $"A frame of match '{header.MatchId}' was published, but '{_match?.MatchId}' runs: announce it.");

    /// <summary>The newest frame of a perspective if the hub keeps it, held for the caller.</summary>
    internal ObservationFrame? Kept(uint perspective) => _all.TryGetValue(perspective, out var published) ? published.Kept : null;

    /// <summary>Another match begins.</summary>
    /// <param name="match">The match.</param>
    /// <param name="keeps">Whether it was played before and can be held: then the hub keeps the newest frame for subscribers that come.</param>
    /// <param name="acting">Makes what sends a side's actions.</param>
    internal void Begin(MatchDescription match, bool keeps, Func<uint, SideActions> acting)
    {
        lock (_making)
        {
            _acting = acting;
            foreach (var (perspective, published) in _all)
            {
                published.Begin(acting(perspective));
            }
        }

        (_match, Keeps) = (match, keeps);
    }

    /// <summary>The match is over.</summary>
    /// <returns>What sent its sides' actions: to be ended.</returns>
    internal SideActions[] End()
    {
        _match = null;
        foreach (var perspective in _all.Values)
        {
            perspective.LetGo();
        }

        return [.. _all.Values.Select(perspective => perspective.Acting)];
    }

    internal void Dispose()
    {
        foreach (var perspective in _all.Values)
        {
            perspective.Barrier.Dispose();
        }
    }
}

/// <summary>
/// One perspective's state in the hub: its newest step, when its steps arrived, the current publication, and of a playback the
/// newest frame. Perspectives are published independently of each other.
/// </summary>
/// <param name="time">The clock of the deadlines.</param>
/// <param name="acting">Sends its agents' actions.</param>
internal sealed class PublishedPerspective(TimeProvider time, SideActions acting)
{
    // Steps whose arrival is known: six minutes at 22.4 a second, more than a queue of 64 MiB holds.
    private const int Remembered = 8192;

    private readonly Lock _lock = new();
    private readonly (ulong Step, long ObservedNs, bool Known)[] _arrivals = new (ulong, long, bool)[Remembered];
    private volatile SideActions _acting = acting;
    private ulong _step;
    private ObservationFrame? _kept;

    /// <summary>Its publisher waits here.</summary>
    public PublishBarrier Barrier { get; } = new(time);

    /// <summary>Sends its agents' actions to the game of the match that runs.</summary>
    public SideActions Acting => _acting;

    /// <summary>The newest step; 0 before the first.</summary>
    public ulong Step => Volatile.Read(ref _step);

    /// <summary>The newest frame if the hub keeps it, held for the caller.</summary>
    public ObservationFrame? Kept => Volatile.Read(ref _kept) is { } kept && kept.TryRetain() ? kept : null;

    /// <summary>When the game's answer with a step had arrived; null if that is not known, or forgotten.</summary>
    public long? ObservedNs(ulong step)
    {
        lock (_lock)
        {
            return _arrivals[step % Remembered] is var (known, observedNs, isKnown) && isKnown && known == step ? observedNs : null;
        }
    }

    /// <summary>A frame is published.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="keeps">Whether the hub keeps it until the next.</param>
    public void Published(ObservationFrame frame, bool keeps)
    {
        var step = frame.Header.Step;
        Volatile.Write(ref _step, step);
        lock (_lock)
        {
            _arrivals[step % Remembered] = (step, frame.Header.ObservedNs, true);
        }

        _acting.Stepped(step);
        if (keeps)
        {
            frame.Retain();
            Interlocked.Exchange(ref _kept, frame)?.Release();
        }
    }

    /// <summary>Another match begins.</summary>
    public void Begin(SideActions acting)
    {
        _acting = acting;
        Volatile.Write(ref _step, 0);
        lock (_lock)
        {
            Array.Clear(_arrivals);
        }
    }

    /// <summary>Keeps no frame any more.</summary>
    public void LetGo() => Interlocked.Exchange(ref _kept, null)?.Release();
}
