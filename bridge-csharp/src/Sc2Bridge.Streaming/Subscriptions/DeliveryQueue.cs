using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The queue of one subscriber, in reading order: error and playback events, frames, outcomes after the last frame, and the last event.
/// An outcome is delivered with the first frame that is queued after the outcome. Not thread-safe.
/// </summary>
/// <remarks>
/// The queue is not a .NET channel, because it is limited in bytes, replaces and summarizes frames in place, and allocates
/// nothing per frame.
/// </remarks>
/// <param name="exclude">Parts that the subscriber excludes from frames and from summaries of skipped frames.</param>
/// <param name="memory">The ledger that counts the contents of the queue, except frames.</param>
internal sealed class DeliveryQueue(PartSet exclude, MemoryLedger memory)
{
    /// <summary>The most bytes of outcomes that may wait. This limits an agent that acts and does not read.</summary>
    public const int MostOutcomeBytes = 4 << 20;

    /// <summary>The most queued error and playback events. This limits an agent that sends and does not read.</summary>
    private const int MostNotices = 64;

    // Bytes of memory for an event's or an outcome's objects, in addition to the serialized size.
    private const int NoticeOverhead = 256;
    private const int OutcomeOverhead = 128;

    // Each queued frame counts as at least this many bytes.
    private const int LeastFrameBytes = 8192;

    private readonly Queue<PlayResponse> _notices = new();
    private readonly Queue<ObservationFrame> _frames = new();
    private readonly Queue<(ActionsOutcome Outcome, long DueAfterFrames, int Bytes)> _outcomes = new();
    private SkippedEventsBuilder? _skipped;
    private long _dequeuedFrames;
    private PlayResponse? _lastEvent;
    private long _frameMemory;
    private long _noticeMemory;
    private int _outcomeBytes;
    private long _chargedBytes;

    public int Count => _frames.Count;

    /// <summary>The bytes of the queued frames, as <see cref="BytesOf"/> counts them.</summary>
    public long Bytes { get; private set; }

    /// <summary>The bytes of memory that the subscriber keeps in use. Each frame counts fully, even if other subscribers use the frame too.</summary>
    public long MemoryBytes => _frameMemory + _chargedBytes;

    /// <summary>The part of <see cref="MemoryBytes"/> that does not belong to frames.</summary>
    public long OwnMemoryBytes => _chargedBytes;

    /// <summary>The number of frames that the subscriber did not get. The caller adds frames that were never queued.</summary>
    public long Dropped { get; set; }

    /// <summary>Whether the last event is an error: the subscriber was dropped, or the bridge stops.</summary>
    public bool HasFailed => _lastEvent is { Error: not null };

    public bool IsLastRead { get; private set; }

    public bool HasNext => _notices.Count > 0 || _frames.Count > 0 || _lastEvent is not null;

    /// <summary>The bytes that a queued frame counts as: the size of its whole protobuf event, and at least 8 KiB.</summary>
    public static int BytesOf(ObservationFrame frame) => Math.Max(frame.EventMessage.Length, LeastFrameBytes);

    public void Enqueue(ObservationFrame frame)
    {
        frame.Retain();
        _frames.Enqueue(frame);
        Bytes += BytesOf(frame);
        _frameMemory += frame.Capacity;
    }

    /// <summary>Queues a frame, and removes the older frames. The removed frames are summarized as skipped.</summary>
    /// <returns>The number of skipped frames.</returns>
    public int ReplaceFrames(ObservationFrame frame)
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
        UpdateCharge();
        return skipped;
    }

    /// <summary>Drops the queued frames, and the summary of frames skipped before them.</summary>
    /// <param name="alsoLost">The number of frames that were never queued and that count as dropped too.</param>
    /// <returns>The number of dropped frames, including <paramref name="alsoLost"/>.</returns>
    public int DropFrames(int alsoLost = 0)
    {
        var lost = _frames.Count + alsoLost;
        while (_frames.Count > 0)
        {
            Dequeue().Release();
        }

        _skipped?.Clear();
        UpdateCharge();
        Dropped += lost;
        return lost;
    }

    /// <summary>Queues an error or playback event, which is read before the frames.</summary>
    public void Notify(PlayResponse notice)
    {
        // Drops the oldest event, because the newest event describes the agent's state best.
        if (_notices.Count == MostNotices)
        {
            DequeueNotice();
        }

        _notices.Enqueue(notice);
        _noticeMemory += NoticeOverhead + notice.CalculateSize();
        UpdateCharge();
    }

    /// <summary>
    /// Queues an outcome, which is delivered with the next frame or before the match's end. If neither follows, the outcome
    /// is discarded.
    /// </summary>
    /// <returns>False if too many outcomes wait; then the outcome was not queued.</returns>
    public bool TryEnqueue(ActionsOutcome outcome)
    {
        if (IsLastRead || HasFailed)
        {
            return true;
        }

        var bytes = outcome.CalculateSize() + OutcomeOverhead;
        if (bytes > MostOutcomeBytes - _outcomeBytes)
        {
            return false;
        }

        _outcomeBytes += bytes;
        _outcomes.Enqueue((outcome, _dequeuedFrames + _frames.Count, bytes));
        UpdateCharge();
        return true;
    }

    /// <summary>Queues the last event, unless the queue already has one.</summary>
    public void EnqueueLast(PlayResponse last) => _lastEvent ??= last;

    /// <summary>Replaces the contents of the queue by this last event, and returns the event.</summary>
    public PlayResponse AbortWith(PlayResponse last)
    {
        Clear();
        return _lastEvent = last;
    }

    public void Clear()
    {
        _notices.Clear();
        _noticeMemory = 0;
        _outcomes.Clear();
        _outcomeBytes = 0;
        DropFrames();
    }

    /// <summary>Removes the next delivery and returns true; returns false if the queue is empty.</summary>
    /// <exception cref="InvalidOperationException">The last event was already taken.</exception>
    public bool TryDequeue(out Delivery delivery)
    {
        if (_notices.Count > 0)
        {
            delivery = new Delivery(DequeueNotice(), isLast: false);
            UpdateCharge();
            return true;
        }

        if (_frames.Count > 0)
        {
            var own = OwnFields();
            delivery = new Delivery(Dequeue(), own);
            UpdateCharge();
            return true;
        }

        if (_lastEvent is not null && _outcomes.Count > 0)
        {
            delivery = new Delivery(new PlayResponse { ActionsOutcome = DequeueOutcome() }, isLast: false);
            UpdateCharge();
            return true;
        }

        if (IsLastRead)
        {
            throw new InvalidOperationException("The subscription has ended: nothing follows a delivery with IsLast.");
        }

        delivery = _lastEvent is null ? default : new Delivery(_lastEvent, isLast: true);
        IsLastRead = _lastEvent is not null;
        return IsLastRead;
    }

    // The fields of the next frame that only this subscriber gets; see Delivery.OwnFields.
    private ReadOnlyMemory<byte> OwnFields()
    {
        var skipped = _skipped is { Frames: > 0 } ? _skipped : null;
        if (skipped is null && !HasDueOutcome())
        {
            return default;
        }

        var own = new ArrayBufferWriter<byte>();
        if (skipped is not null)
        {
            WireWriter.WriteBytes(own, V1.Frame.SkippedFieldNumber, skipped.Build());
        }

        while (HasDueOutcome())
        {
            WireWriter.WriteBytes(own, V1.Frame.OutcomesFieldNumber, DequeueOutcome().ToByteArray());
        }

        return own.WrittenMemory;
    }

    // Whether an outcome must be delivered with the next frame.
    private bool HasDueOutcome() => _outcomes.TryPeek(out var first) && first.DueAfterFrames <= _dequeuedFrames;

    private ActionsOutcome DequeueOutcome()
    {
        var first = _outcomes.Dequeue();
        _outcomeBytes -= first.Bytes;
        return first.Outcome;
    }

    // The queue's reference to the frame passes to the caller.
    private ObservationFrame Dequeue()
    {
        var frame = _frames.Dequeue();
        Bytes -= BytesOf(frame);
        _frameMemory -= frame.Capacity;
        _dequeuedFrames++;
        return frame;
    }

    private PlayResponse DequeueNotice()
    {
        var notice = _notices.Dequeue();
        _noticeMemory -= NoticeOverhead + notice.CalculateSize();
        return notice;
    }

    private void UpdateCharge()
    {
        var own = _noticeMemory + _outcomeBytes + (_skipped?.Capacity ?? 0);
        if (own != _chargedBytes)
        {
            memory.Add(MemoryAccount.Queues, own - _chargedBytes);
            _chargedBytes = own;
        }
    }
}
