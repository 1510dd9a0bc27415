using System.Buffers;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What waits for one subscriber's reader, in the order in which it is read: error events, frames, outcomes that no frame
/// takes along, and the last event. For one thread at a time.
/// </summary>
/// <remarks>
/// Not a channel: it is bounded in bytes, its frames are replaced and summed up where they stand, and nothing is
/// allocated for a frame.
/// </remarks>
/// <param name="exclude">Parts that the subscriber does not want: nor what they alone told in frames that it skips.</param>
internal sealed class DeliveryQueue(PartSet exclude)
{
    /// <summary>Error events that may wait for an agent that answers without reading.</summary>
    private const int MostNotices = 64;

    private readonly Queue<Event> _notices = new();
    private readonly Queue<ObservationFrame> _frames = new();
    private readonly PendingOutcomes _outcomes = new();
    private SkippedEventsBuilder? _skipped;
    private long _left;
    private Event? _last;

    /// <summary>Frames that wait.</summary>
    public int Count => _frames.Count;

    /// <summary>Their bytes, as whole protobuf events.</summary>
    public long Bytes { get; private set; }

    /// <summary>Frames that the subscriber never got.</summary>
    public long Dropped { get; private set; }

    /// <summary>Whether nothing comes any more but what waits.</summary>
    public bool HasEnded => _last is not null;

    /// <summary>Whether the last event was taken.</summary>
    public bool IsReadOut { get; private set; }

    /// <summary>Whether <see cref="TryTake"/> has something, or refuses.</summary>
    public bool HasNext => _notices.Count > 0 || _frames.Count > 0 || _last is not null;

    /// <summary>One more frame waits.</summary>
    public void Enqueue(ObservationFrame frame)
    {
        frame.Retain();
        _frames.Enqueue(frame);
        Bytes += frame.EventMessage.Length;
    }

    /// <summary>A frame waits in place of those that do, which it sums up.</summary>
    /// <returns>How many those were.</returns>
    public int Replace(ObservationFrame frame)
    {
        var skipped = _frames.Count;
        while (_frames.Count > 0)
        {
            var older = Dequeue();
            (_skipped ??= new(exclude)).Add(older);
            older.Release();
        }

        Dropped += skipped;
        Enqueue(frame);
        return skipped;
    }

    /// <summary>The frames that wait are lost, and what was skipped before them.</summary>
    /// <param name="alsoLost">Frames that are lost beside them.</param>
    /// <returns>How many all those are.</returns>
    public int Forget(int alsoLost = 0)
    {
        var lost = _frames.Count + alsoLost;
        while (_frames.Count > 0)
        {
            Dequeue().Release();
        }

        _skipped?.Clear();
        Dropped += lost;
        return lost;
    }

    /// <summary>A frame will not wait.</summary>
    public void Lose() => Dropped++;

    /// <summary>An event goes before the frames that wait.</summary>
    public void Notify(Event notice)
    {
        // The oldest make room: the newest says where the agent stands.
        if (_notices.Count == MostNotices)
        {
            _notices.Dequeue();
        }

        _notices.Enqueue(notice);
    }

    /// <summary>What became of actions goes with the next frame.</summary>
    /// <returns>False where too much waits: it was not taken.</returns>
    public bool TryEnqueue(ActionsOutcome outcome) => _outcomes.TryEnqueue(outcome, _left + _frames.Count);

    /// <summary>Nothing comes any more but what waits, and then this event; the first that is said holds.</summary>
    public void Finish(Event last) => _last ??= last;

    /// <summary>Nobody reads any more.</summary>
    public void Clear()
    {
        _notices.Clear();
        _outcomes.Clear();
        Forget();
    }

    /// <summary>What is next for the reader; false where nothing is.</summary>
    /// <exception cref="InvalidOperationException">The last event was taken.</exception>
    public bool TryTake(out Delivery delivery)
    {
        if (_notices.TryDequeue(out var notice))
        {
            delivery = new Delivery(notice, isLast: false);
            return true;
        }

        if (_frames.Count > 0)
        {
            var own = Own();
            delivery = new Delivery(Dequeue(), own);
            return true;
        }

        if (_last is not null && _outcomes.TryDequeue(out var outcome))
        {
            delivery = new Delivery(new Event { ActionsOutcome = outcome }, isLast: false);
            return true;
        }

        if (IsReadOut)
        {
            throw new InvalidOperationException("The subscription has ended: nothing follows a delivery with IsLast.");
        }

        delivery = _last is null ? default : new Delivery(_last, isLast: true);
        IsReadOut = _last is not null;
        return IsReadOut;
    }

    // What goes with the next frame, see Delivery.Own.
    private ReadOnlyMemory<byte> Own()
    {
        var skipped = _skipped is { Frames: > 0 } ? _skipped : null;
        if (skipped is null && !_outcomes.Has(_left))
        {
            return default;
        }

        var own = new ArrayBufferWriter<byte>();
        if (skipped is not null)
        {
            WireWriter.WriteBytes(own, V1.Frame.SkippedFieldNumber, skipped.Take());
        }

        _outcomes.TakeTo(own, _left);
        return own.WrittenMemory;
    }

    // Its hold passes to the caller.
    private ObservationFrame Dequeue()
    {
        var frame = _frames.Dequeue();
        Bytes -= frame.EventMessage.Length;
        _left++;
        return frame;
    }
}
