using System.Collections.Concurrent;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The state of each perspective that a hub publishes. Thread-safe.</summary>
public sealed class PublishedPerspectives
{
    private readonly ConcurrentDictionary<uint, PublishedPerspective> _all = new();
    private readonly TimeProvider _time;

    // When a match starts, all existing perspectives get a new sender of actions. With this lock, a perspective that is
    // created meanwhile gets the new sender too.
    private readonly Lock _creationLock = new();
    private Func<uint, SideActions> _createActions;
    private volatile MatchDescription? _match;

    /// <param name="time">The clock for deadlines.</param>
    /// <param name="createActions">Creates the sender of a side's actions while no match runs. This sender refuses all actions.</param>
    internal PublishedPerspectives(TimeProvider time, Func<uint, SideActions> createActions) =>
        (_time, _createActions, NoMatchActions) = (time, createActions, createActions(0));

    /// <summary>Refuses the actions of agents that have no match yet.</summary>
    internal SideActions NoMatchActions { get; }

    /// <summary>Whether the newest frame of each perspective is kept.</summary>
    internal bool KeepsNewest { get; private set; }

    /// <summary>
    /// When the game's answer for a step had arrived, by <see cref="MonotonicClock"/>. Null if the step is unknown or more
    /// than 8,192 steps old.
    /// </summary>
    public long? ObservedNs(uint perspective, ulong step) =>
        _all.TryGetValue(perspective, out var published) ? published.ObservedNs(step) : null;

    /// <summary>
    /// The newest step of a perspective in the running or last match; 0 before its first step. If the perspective is
    /// unknown: the newest step of any perspective.
    /// </summary>
    public ulong NewestStep(uint perspective) =>
        _all.TryGetValue(perspective, out var published)
            ? published.Step
            : _all.Values.Select(any => any.Step).DefaultIfEmpty().Max();

    /// <summary>The newest step of a perspective; null if none was observed in this match.</summary>
    public ulong? NewestObserved(uint perspective) =>
        NewestStep(perspective) is var newest && ObservedNs(perspective, newest) is null ? null : newest;

    /// <summary>
    /// The state of a perspective, created on the first call. Called for each frame, so only the first call takes the lock.
    /// </summary>
    internal PublishedPerspective Of(uint perspective)
    {
        if (_all.TryGetValue(perspective, out var made))
        {
            return made;
        }

        lock (_creationLock)
        {
            return _all.GetOrAdd(perspective, one => new PublishedPerspective(_time, _createActions(one)));
        }
    }

    /// <summary>The state of the perspective of a frame that is about to be published.</summary>
    /// <exception cref="InvalidOperationException">The frame's match does not run.</exception>
    internal PublishedPerspective Of(in FrameHeader header) => header.MatchId == _match?.MatchId
        ? Of(header.Perspective)
        : throw new InvalidOperationException(
            $"A frame of match '{header.MatchId}' was published, but '{_match?.MatchId}' runs: announce the frame's match first.");

    /// <summary>The newest frame of a perspective if the hub keeps it, with a reference for the caller.</summary>
    internal ObservationFrame? KeptFrame(uint perspective) => _all.TryGetValue(perspective, out var published) ? published.KeptFrame : null;

    /// <summary>Starts a match.</summary>
    /// <param name="match">The match.</param>
    /// <param name="keepsNewest">
    /// Whether the match is a playback, which can be paused. The hub then keeps the newest frame for new subscribers.
    /// </param>
    /// <param name="createActions">Creates the sender of a side's actions.</param>
    internal void Begin(MatchDescription match, bool keepsNewest, Func<uint, SideActions> createActions)
    {
        lock (_creationLock)
        {
            _createActions = createActions;
            foreach (var (perspective, published) in _all)
            {
                published.Begin(createActions(perspective));
            }
        }

        (_match, KeepsNewest) = (match, keepsNewest);
    }

    /// <summary>Ends the match.</summary>
    /// <returns>The senders of the sides' actions. The caller must end them.</returns>
    internal SideActions[] End()
    {
        _match = null;
        foreach (var perspective in _all.Values)
        {
            perspective.ReleaseKept();
        }

        return [.. _all.Values.Select(perspective => perspective.SideActions)];
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
/// The state of one perspective: its newest step, the arrival times of its steps, the current publication, and in a playback
/// the newest frame. Perspectives are published independently of each other.
/// </summary>
/// <param name="time">The clock for deadlines.</param>
/// <param name="sideActions">Sends the actions of the perspective's agents.</param>
internal sealed class PublishedPerspective(TimeProvider time, SideActions sideActions)
{
    // The number of steps whose arrival is known: six minutes at 22.4 a second, as many as fit in a queue of 64 MiB.
    private const int RememberedSteps = 8192;

    private readonly Lock _lock = new();
    private readonly (ulong Step, long ObservedNs, bool Known)[] _arrivals = new (ulong, long, bool)[RememberedSteps];
    private volatile SideActions _sideActions = sideActions;
    private ulong _step;
    private ObservationFrame? _keptFrame;

    public PublishBarrier Barrier { get; } = new(time);

    /// <summary>Sends the actions of the perspective's agents to the game of the running match.</summary>
    public SideActions SideActions => _sideActions;

    /// <summary>The newest step; 0 before the first step.</summary>
    public ulong Step => Volatile.Read(ref _step);

    /// <summary>The newest frame if the hub keeps it, with a reference for the caller.</summary>
    public ObservationFrame? KeptFrame => Volatile.Read(ref _keptFrame) is { } kept && kept.TryRetain() ? kept : null;

    /// <summary>When the game's answer for a step had arrived; null if that is unknown or too long ago.</summary>
    public long? ObservedNs(ulong step)
    {
        lock (_lock)
        {
            return _arrivals[step % RememberedSteps] is var (known, observedNs, isKnown) && isKnown && known == step ? observedNs : null;
        }
    }

    /// <summary>Records a frame that is published.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="keepsNewest">Whether the hub keeps the frame until the next one.</param>
    public void RecordPublished(ObservationFrame frame, bool keepsNewest)
    {
        var step = frame.Header.Step;
        Volatile.Write(ref _step, step);
        lock (_lock)
        {
            _arrivals[step % RememberedSteps] = (step, frame.Header.ObservedNs, true);
        }

        _sideActions.OnStep(step);
        if (keepsNewest)
        {
            frame.Retain();
            Interlocked.Exchange(ref _keptFrame, frame)?.Release();
        }
    }

    public void Begin(SideActions sideActions)
    {
        _sideActions = sideActions;
        Volatile.Write(ref _step, 0);
        lock (_lock)
        {
            Array.Clear(_arrivals);
        }
    }

    /// <summary>Releases the kept frame.</summary>
    public void ReleaseKept() => Interlocked.Exchange(ref _keptFrame, null)?.Release();
}
