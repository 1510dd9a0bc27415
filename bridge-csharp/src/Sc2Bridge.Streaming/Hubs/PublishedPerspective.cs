namespace Sc2Bridge.Streaming;

/// <summary>
/// One perspective's state in the hub: its newest step, when its steps arrived, and the current publication.
/// Perspectives are published independently of each other.
/// </summary>
/// <param name="time">The clock of the deadlines.</param>
internal sealed class PublishedPerspective(TimeProvider time) : IDisposable
{
    private readonly ArrivalTimes _arrivals = new();
    private ulong _step;

    /// <summary>Where its publisher waits.</summary>
    public PublishBarrier Barrier { get; } = new(time);

    /// <summary>The newest step; 0 before the first.</summary>
    public ulong Step => Volatile.Read(ref _step);

    /// <summary>When the game's answer with a step had arrived; null where that is not known, or forgotten.</summary>
    public long? ObservedNs(ulong step) => _arrivals.Get(step);

    /// <summary>A frame is published.</summary>
    public void Published(in FrameHeader header)
    {
        Volatile.Write(ref _step, header.Step);
        _arrivals.Set(header.Step, header.ObservedNs);
    }

    /// <summary>Another match begins.</summary>
    public void Begin()
    {
        Volatile.Write(ref _step, 0);
        _arrivals.Clear();
    }

    /// <inheritdoc/>
    public void Dispose() => Barrier.Dispose();
}
