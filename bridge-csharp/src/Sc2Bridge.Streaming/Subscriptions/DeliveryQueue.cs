using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// One subscriber's queue, in the order in which it is read: error events, frames, outcomes that come after the last
/// frame, and the last event. An outcome goes with the first frame that was queued after it. Not thread-safe.
/// </summary>
/// <remarks>
/// Not a channel: it is bounded in bytes, its frames are replaced and summed up in place, and nothing is allocated for
/// a frame.
/// </remarks>
/// <param name="exclude">
/// Parts that the subscriber does not want, neither in frames nor in what sums up skipped ones.
/// </param>
/// <param name="memory">Charged with what the queue holds beside frames.</param>
internal sealed class DeliveryQueue(PartSet exclude, MemoryLedger memory)
{
    /// <summary>The most bytes of outcomes that may wait, for an agent that acts and does not read.</summary>
    public const int MostOutcomeBytes = 4 << 20;

    /// <summary>The most error events queued, for an agent that sends without reading.</summary>
    private const int MostNotices = 64;

    // Memory of an event's objects, in addition to its text.
    private const int NoticeOverhead = 256;
    private const int OutcomeOverhead = 128;

    // The memory of a waiting frame, however short it is.
    private const int LeastFrameBytes = 8192;

    private readonly Queue<PlayResponse> _notices = new();
    private readonly Queue<ObservationFrame> _frames = new();
    private readonly Queue<(ActionsOutcome Outcome, long After, int Bytes)> _outcomes = new();
    private SkippedEventsBuilder? _skipped;
    private long _left;
    private PlayResponse? _last;
    private long _frameMemory;
    private long _noticeMemory;
    private int _outcomeBytes;
    private long _charged;

    public int Count => _frames.Count;

    /// <summary>Their bytes, as <see cref="BytesOf"/> counts them.</summary>
    public long Bytes { get; private set; }

    /// <summary>
    /// Bytes of memory that are held for the subscriber: frames count whole, however many hold them too.
    /// </summary>
    public long Held => _frameMemory + _charged;

    /// <summary>What of that is the queue's own.</summary>
    public long Own => _charged;

    /// <summary>Frames that the subscriber never got. The caller adds frames that were never queued.</summary>
    public long Dropped { get; set; }

    /// <summary>Whether the last event is an error: the subscriber was dropped, or the bridge stops.</summary>
    public bool HasFailed => _last is { Error: not null };

    public bool IsReadOut { get; private set; }

    public bool HasNext => _notices.Count > 0 || _frames.Count > 0 || _last is not null;

    /// <summary>What a queued frame counts: its bytes as a whole protobuf event, and at least its fixed cost.</summary>
    public static int BytesOf(ObservationFrame frame) => Math.Max(frame.EventMessage.Length, LeastFrameBytes);

    public void Enqueue(ObservationFrame frame)
    {
        frame.Retain();
        _frames.Enqueue(frame);
        Bytes += BytesOf(frame);
        _frameMemory += frame.Capacity;
    }

    /// <summary>Queues a frame in place of those queued, which are summed up as skipped.</summary>
    /// <returns>How many were skipped.</returns>
    public int Replace(ObservationFrame frame)
    {
        var skipped = _frames.Count;
        while (_frames.Count > 0)
        {
            var older = Dequeue();
            try
            {
                (_skipped ??= new(exclude)).Add(older);
            }
            finally
            {
                older.Release();
            }
        }

        Dropped += skipped;
        Enqueue(frame);
        Charge();
        return skipped;
    }

    /// <summary>Drops the queued frames, and the sum of those skipped before them.</summary>
    /// <param name="alsoLost">Frames that were lost elsewhere, to be counted as dropped too.</param>
    /// <returns>How many were dropped, with those.</returns>
    public int DropFrames(int alsoLost = 0)
    {
        var lost = _frames.Count + alsoLost;
        while (_frames.Count > 0)
        {
            Dequeue().Release();
        }

        _skipped?.Clear();
        Charge();
        Dropped += lost;
        return lost;
    }

    /// <summary>Queues an error event, which is read before the frames.</summary>
    public void Notify(PlayResponse notice)
    {
        // The oldest makes room: the newest describes the agent's state best.
        if (_notices.Count == MostNotices)
        {
            DequeueNotice();
        }

        _notices.Enqueue(notice);
        _noticeMemory += NoticeOverhead + notice.CalculateSize();
        Charge();
    }

    /// <summary>
    /// Queues an outcome, which goes with the next frame, or before the end of the match. Discards it if neither follows.
    /// </summary>
    /// <returns>False where too many wait already: it was not queued.</returns>
    public bool TryEnqueue(ActionsOutcome outcome)
    {
        if (IsReadOut || HasFailed)
        {
            return true;
        }

        var bytes = outcome.CalculateSize() + OutcomeOverhead;
        if (bytes > MostOutcomeBytes - _outcomeBytes)
        {
            return false;
        }

        _outcomeBytes += bytes;
        _outcomes.Enqueue((outcome, _left + _frames.Count, bytes));
        Charge();
        return true;
    }

    /// <summary>Queues the last event, unless there is one already.</summary>
    public void Finish(PlayResponse last) => _last ??= last;

    /// <summary>Drops everything that waits, for this last event, which is returned.</summary>
    public PlayResponse Abort(PlayResponse last)
    {
        Clear();
        return _last = last;
    }

    public void Clear()
    {
        _notices.Clear();
        _noticeMemory = 0;
        _outcomes.Clear();
        _outcomeBytes = 0;
        DropFrames();
    }

    /// <summary>Takes what is next for the reader; false where nothing is queued.</summary>
    /// <exception cref="InvalidOperationException">The last event was taken.</exception>
    public bool TryTake(out Delivery delivery)
    {
        if (_notices.Count > 0)
        {
            delivery = new Delivery(DequeueNotice(), isLast: false);
            Charge();
            return true;
        }

        if (_frames.Count > 0)
        {
            var own = OwnFields();
            delivery = new Delivery(Dequeue(), own);
            Charge();
            return true;
        }

        if (_last is not null && _outcomes.Count > 0)
        {
            delivery = new Delivery(new PlayResponse { ActionsOutcome = DequeueOutcome() }, isLast: false);
            Charge();
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

    // This subscriber's own fields of the next frame, see Delivery.OwnFields.
    private ReadOnlyMemory<byte> OwnFields()
    {
        var skipped = _skipped is { Frames: > 0 } ? _skipped : null;
        if (skipped is null && !HasOutcome())
        {
            return default;
        }

        var own = new ArrayBufferWriter<byte>();
        if (skipped is not null)
        {
            WireWriter.WriteBytes(own, V1.Frame.SkippedFieldNumber, skipped.Take());
        }

        while (HasOutcome())
        {
            WireWriter.WriteBytes(own, V1.Frame.OutcomesFieldNumber, DequeueOutcome().ToByteArray());
        }

        return own.WrittenMemory;
    }

    // Whether one goes with the next frame.
    private bool HasOutcome() => _outcomes.TryPeek(out var first) && first.After <= _left;

    private ActionsOutcome DequeueOutcome()
    {
        var first = _outcomes.Dequeue();
        _outcomeBytes -= first.Bytes;
        return first.Outcome;
    }

    // The queue's hold on the frame passes to the caller.
    private ObservationFrame Dequeue()
    {
        var frame = _frames.Dequeue();
        Bytes -= BytesOf(frame);
        _frameMemory -= frame.Capacity;
        _left++;
        return frame;
    }

    private PlayResponse DequeueNotice()
    {
        var notice = _notices.Dequeue();
        _noticeMemory -= NoticeOverhead + notice.CalculateSize();
        return notice;
    }

    private void Charge()
    {
        var own = _noticeMemory + _outcomeBytes + (_skipped?.Capacity ?? 0);
        if (own != _charged)
        {
            memory.Add(MemoryAccount.Queues, own - _charged);
            _charged = own;
        }
    }
}
