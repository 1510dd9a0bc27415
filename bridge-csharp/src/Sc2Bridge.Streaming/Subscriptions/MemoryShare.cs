namespace Sc2Bridge.Streaming;

/// <summary>The memory that is held for one subscriber. Not thread-safe.</summary>
internal sealed class MemoryShare
{
    // How long a write takes at most whose reader keeps up, and what its queue holds in addition to frames.
    private const int StuckMs = 1000;
    private const int MostOwn = 64 << 10;

    private readonly DeliveryQueue _queue;
    private readonly MemoryLedger _memory;
    private readonly int _transportBytes;
    private int _inHand;
    private long _takenAt;

    public MemoryShare(DeliveryQueue queue, MemoryLedger memory, int transportBytes)
    {
        (_queue, _memory, _transportBytes) = (queue, memory, transportBytes);
        memory.Add(MemoryAccount.Subscribers, transportBytes);
    }

    /// <summary>Bytes of the frames that wait, of the frame that is being written, and the queue's own.</summary>
    public long Whole => _queue.Held + _inHand;

    /// <summary>The same for a subscriber that does not keep up, or was cut off; 0 for one that keeps up.</summary>
    public long Held(bool isCutOff)
    {
        var isStuck = _inHand > 0 && Environment.TickCount64 - _takenAt > StuckMs;
        return isStuck || isCutOff || _queue.Count > 1 || _queue.Own > MostOwn ? Whole : 0;
    }

    public void Took(ObservationFrame frame) => (_inHand, _takenAt) = (frame.Capacity, Environment.TickCount64);

    public void LetGo() => _inHand = 0;

    /// <summary>The subscriber is gone.</summary>
    public void Return() => _memory.Add(MemoryAccount.Subscribers, -_transportBytes);
}
