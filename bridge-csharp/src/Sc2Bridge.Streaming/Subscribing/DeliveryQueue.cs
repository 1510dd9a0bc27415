using System.Buffers;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What waits for one subscriber's reader, in the order in which it is read: error events, frames, results that no frame
/// takes along, and the last event. For one thread at a time.
/// </summary>
internal sealed class DeliveryQueue
{
    /// <summary>Error events that may wait for an agent that answers without reading.</summary>
    private const int LongestNotices = 64;

    private readonly Queue<Event> _notices = new();
    private readonly FrameRing _frames = new();
    private readonly SkippedEventsBuilder _missed = new();
    private readonly PendingOutcomes _results = new();
    private Event? _last;
    private bool _lastTaken;

    /// <summary>Frames that wait.</summary>
    public int Count => _frames.Count;

    /// <summary>Their bytes.</summary>
    public long Bytes => _frames.Bytes;

    /// <summary>Whether nothing comes any more but what waits.</summary>
    public bool HasEnded => _last is not null;

    /// <summary>Whether the last event was taken.</summary>
    public bool IsReadOut => _lastTaken;

    /// <summary>One more frame waits.</summary>
    public void Enqueue(ObservationFrame frame) => _frames.Enqueue(frame);

    /// <summary>The frames that wait are skipped: the next one sums them up.</summary>
    /// <returns>How many.</returns>
    public int Skip()
    {
        var skipped = _frames.Count;
        while (_frames.Count > 0)
        {
            var frame = _frames.Dequeue();
            _missed.Add(frame);
            frame.Release();
        }

        return skipped;
    }

    /// <summary>The frames that wait are lost, and what was skipped before them.</summary>
    /// <returns>How many wait no more.</returns>
    public int Forget()
    {
        var lost = _frames.Count;
        _frames.Clear();
        _missed.Clear();
        return lost;
    }

    /// <summary>An event goes before the frames that wait.</summary>
    public void Notify(Event notice)
    {
        // The oldest make room: the newest says where the agent stands.
        if (_notices.Count == LongestNotices)
        {
            _notices.Dequeue();
        }

        _notices.Enqueue(notice);
    }

    /// <summary>What became of actions goes with the next frame.</summary>
    /// <returns>False where too much waits: it was not taken.</returns>
    public bool TryTell(ActionsOutcome result) => _results.TryEnqueue(result, _frames.Passage.Entered);

    /// <summary>Nothing comes any more but what waits, and then this event; the first that is said holds.</summary>
    public void Finish(Event last) => _last ??= last;

    /// <summary>Nobody reads any more.</summary>
    /// <returns>How many frames wait no more.</returns>
    public int Clear()
    {
        _notices.Clear();
        _results.Clear();
        return Forget();
    }

    /// <summary>Whether <see cref="TryTake"/> has something, or refuses.</summary>
    public bool HasNext => _notices.Count > 0 || _frames.Count > 0 || _last is not null;

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
            delivery = new Delivery(TakeFrame());
            return true;
        }

        if (_last is not null && _results.TryDequeue(out var result))
        {
            delivery = new Delivery(new Event { ActionsOutcome = result }, isLast: false);
            return true;
        }

        if (_lastTaken)
        {
            throw new InvalidOperationException("The subscription has ended: nothing follows a delivery with IsLast.");
        }

        delivery = _last is null ? default : new Delivery(_last, isLast: true);
        _lastTaken = _last is not null;
        return _lastTaken;
    }

    private ObservationFrame TakeFrame()
    {
        var before = _frames.Passage.Left;
        var frame = _frames.Dequeue();
        if (_missed.Frames == 0 && !_results.Has(before))
        {
            return frame;
        }

        var own = new ArrayBufferWriter<byte>();
        if (_missed.Frames > 0)
        {
            WireWriter.WriteBytes(own, V1.Frame.SkippedFieldNumber, _missed.Take());
        }

        _results.TakeTo(own, before);
        var withOwn = frame.With(own.WrittenSpan.ToArray());
        frame.Release();
        return withOwn;
    }
}
