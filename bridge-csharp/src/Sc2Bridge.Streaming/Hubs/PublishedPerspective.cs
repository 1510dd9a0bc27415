namespace Sc2Bridge.Streaming;

/// <summary>
/// One perspective's state in the hub: its newest step, when its steps arrived, the current publication, and of a
/// playback the newest frame.
/// Perspectives are published independently of each other.
/// </summary>
/// <param name="time">The clock of the deadlines.</param>
internal sealed class PublishedPerspective(TimeProvider time) : IDisposable
{
    private readonly ArrivalTimes _arrivals = new();
    private ulong _step;
    private ObservationFrame? _kept;

    /// <summary>Where its publisher waits.</summary>
    public PublishBarrier Barrier { get; } = new(time);

    /// <summary>The newest step; 0 before the first.</summary>
    public ulong Step => Volatile.Read(ref _step);

    /// <summary>When the game's answer with a step had arrived; null where that is not known, or forgotten.</summary>
    public long? ObservedNs(ulong step) => _arrivals.Get(step);

    /// <summary>The newest frame, where it is kept; what is returned is held for the caller.</summary>
    public ObservationFrame? Kept => Volatile.Read(ref _kept) is { } kept && kept.TryRetain() ? kept : null;

    /// <summary>A frame is published.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="keeps">Whether it is kept until the next.</param>
    public void Published(ObservationFrame frame, bool keeps)
    {
        Volatile.Write(ref _step, frame.Header.Step);
        _arrivals.Set(frame.Header.Step, frame.Header.ObservedNs);
        if (keeps)
        {
            frame.Retain();
            Interlocked.Exchange(ref _kept, frame)?.Release();
        }
    }

    /// <summary>Keeps no frame any more.</summary>
    public void LetGo() => Interlocked.Exchange(ref _kept, null)?.Release();

    /// <summary>Another match begins.</summary>
    public void Begin()
    {
        Volatile.Write(ref _step, 0);
        _arrivals.Clear();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        LetGo();
        Barrier.Dispose();
    }
}
