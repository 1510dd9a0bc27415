using System.Buffers;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a subscription's policy makes of frames, answers and reads: plain state, no threads. The methods that let go of
/// publications which this subscriber held back return them, for their publishers to be told.
/// </summary>
internal sealed class SubscriptionState(
    string name, V1.Subscription request, PartSet leaveOut, long queueBytes, SubscriberInfo info, HubOptions options)
{
    /// <summary>Error events that may wait for an agent that answers without reading.</summary>
    private const int LongestNotices = 64;

    private readonly FrameRing _frames = new();
    private readonly Queue<Event> _notices = new();
    private readonly MissedParts _missed = new();
    private readonly StepAnswers _answers = new();
    private readonly PlacedResults _results = new();
    private readonly ActingAllowance? _acting = request.Plays ? new ActingAllowance() : null;
    private readonly TalkAllowance _talk = new(options.TimeProvider);
    private readonly LockstepPatience _patience = new(options);
    private WhenFull _whenFull = request.WhenFull;
    private uint? _perspective = request.HasPerspective ? request.Perspective : null;
    private Event? _last;
    private bool _lastTaken;
    private Holds _holds;
    private bool _saysNoMore;
    private string? _blame;
    private long _dropped;

    public string Name { get; } = name;

    public Policy Policy { get; } = request.Policy == Policy.Unspecified ? Policy.Every : request.Policy;

    public uint Priority => request.Priority;

    /// <summary>The side that it plays, or played; null where it only watches.</summary>
    public uint? Side => request.Plays && Match is not null ? Perspective : null;

    /// <summary>Whether its agent can go on to play.</summary>
    public bool IsPlaying { get; private set; } = request.Plays;

    /// <summary>Whose eyes it has; 0 until that is known.</summary>
    public uint Perspective => _perspective ?? 0;

    /// <summary>The match that it is tied to; null where none was announced yet.</summary>
    public MatchDescription? Match { get; private set; }

    /// <summary>Whether nothing comes any more but what is queued, and the last event.</summary>
    public bool HasEnded => _last is not null;

    public SubscriberState Snapshot() => new(
        Name, info.Transport, Policy, _perspective, _frames.Count, _frames.Bytes, _answers.Delivered, _dropped,
        _answers.Taken, info.Internal, HasEnded);

    /// <summary>Ties the subscription to a match, or ends it where the match is not what was asked for.</summary>
    public Holds Bind(MatchDescription description)
    {
        if (Match is not null || _last is not null)
        {
            return default;
        }

        if (SubscriptionRequest.Mismatch(request, description) is { } refusal)
        {
            return Finish(Errors.Fatal(refusal.Code, refusal.Message));
        }

        Match = description;
        _perspective = SubscriptionRequest.Perspective(request, description);
        if (_whenFull == WhenFull.Unspecified)
        {
            _whenFull = description.Realtime ? WhenFull.End : WhenFull.Pause;
        }

        return default;
    }

    public bool Accepts(Frame frame) =>
        _last is null && (info.EveryPerspective || frame.Header.Perspective == _perspective)
        && frame.Header.Match == Match?.Match;

    /// <summary>Takes a frame under the policy.</summary>
    /// <param name="frame">The whole frame; what is left out is left out here.</param>
    /// <param name="reading">A reader waits, so the frame goes straight to it.</param>
    /// <param name="wait">Told where this subscriber holds the publication back.</param>
    /// <param name="generation">The publication.</param>
    /// <returns>Frames lost.</returns>
    public int Offer(Frame frame, bool reading, PublishWait wait, long generation)
    {
        if (_patience.GoesOn())
        {
            Drop(StatusCode.DeadlineExceeded, TooLate());
            _dropped++;
            return 1;
        }

        var lost = frame.Jump is { } jump ? Forget(jump) : 0;
        _answers.Offer(frame.Header.Step, isJump: frame.Jump is not null);
        var selected = frame.Select(leaveOut);
        info.Offered?.Offered(selected, leaveOut);
        return lost + (Policy == Policy.Every
            ? Queue(selected, reading, wait, generation)
            : Replace(selected, wait, generation));
    }

    /// <summary>What is next for the reader: notices, then frames, then the last event.</summary>
    /// <exception cref="InvalidOperationException">The last event was taken.</exception>
    public bool TryTake(out Delivery delivery, out Holds released)
    {
        released = default;
        if (_notices.TryDequeue(out var notice))
        {
            delivery = new Delivery(notice, isLast: false);
            return true;
        }

        if (_frames.Count > 0)
        {
            delivery = new Delivery(TakeFrame());
            if (Policy == Policy.Every && !IsOverfull)
            {
                released = _holds.TakeAll();
            }

            return true;
        }

        if (_last is not null && _results.TryDequeue(out var result))
        {
            delivery = new Delivery(new Event { ActionsResult = result }, isLast: false);
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

    /// <summary>An agent's answer to a step.</summary>
    public Holds Acknowledge(ulong step)
    {
        if (Policy != Policy.Lockstep || _last is not null)
        {
            return default;
        }

        switch (_answers.Answer(step))
        {
            case StepAnswer.Unknown:
                var sent = _answers.Offered is { } known ? $"the newest step is {known}" : "no step has been sent yet";
                Notify(Errors.Notice(
                    StatusCode.InvalidArgument, $"step {step} was acknowledged before it was sent: {sent}", step));
                return default;
            case StepAnswer.Again:
                return default;
            case StepAnswer.Newest when !_patience.IsLate:
                return _holds.TakeAll();
        }

        // Whoever answers again is waited for again, from the next step on.
        _patience.Answered();
        Notify(Errors.Notice(
            StatusCode.DeadlineExceeded,
            $"the answer to step {step} came too late: the match went on without it", step));
        return default;
    }

    /// <summary>Whether an agent can have measured a step; where not, it is told.</summary>
    public bool TakesTimes(ulong step)
    {
        if (_answers.Report(step))
        {
            return true;
        }

        // The last event, and what ends with it, is not to wait behind this.
        if (_last is null)
        {
            var why = _answers.WasTaken(step) ? "were reported before" : "were reported before it was sent";
            Notify(Errors.Notice(StatusCode.InvalidArgument, $"the times of step {step} {why}: they are not kept", step));
        }

        return false;
    }

    /// <summary>Whether the agent reports times, and those of the last step that it took are to come.</summary>
    public bool OwesTimes => request.ReportsTimes && _answers.OwesTimes && !_saysNoMore;

    /// <summary>Actions that came for a step; null where the agent only watches.</summary>
    public int? ActionsFor(ulong step) => _acting?.Of(step);

    /// <summary>The agent has sent actions.</summary>
    /// <returns>Why they are refused; null where they are to be done.</returns>
    public RequestRefusedException? TakeActions(AgentActions actions)
    {
        if (_acting is null)
        {
            return new RequestRefusedException(
                StatusCode.FailedPrecondition, $"'{Name}' only watches: subscribe with plays to send actions");
        }

        return _acting.Take(actions, _answers, Policy == Policy.Lockstep, _patience.IsLate);
    }

    /// <summary>It is known what became of actions: the agent hears of it with the next frame.</summary>
    public Holds Tell(AgentActions done)
    {
        _acting?.Done(done);
        if (_last is null && !_results.TryEnqueue(done.Result, _frames.Passage.Entered))
        {
            return Drop(
                StatusCode.ResourceExhausted,
                $"actions are sent and what becomes of them is not read: more than {PlacedResults.MostBytes} bytes "
                + "wait; read on while you act");
        }

        return default;
    }

    /// <summary>Nobody waits for this agent's answers any more: it has said its last.</summary>
    public Holds EndAnswers()
    {
        _patience.End();
        _saysNoMore = true;
        IsPlaying = false;
        return Policy == Policy.Lockstep ? _holds.TakeAll() : default;
    }

    /// <summary>The publication waits no longer for this subscriber; false where it did not, or may longer.</summary>
    /// <param name="wait">Its publisher's.</param>
    /// <param name="generation">The publication.</param>
    /// <param name="passed">How long it has waited.</param>
    public bool DeadlinePassed(PublishWait wait, long generation, TimeSpan passed)
    {
        if (Deadline == Timeout.InfiniteTimeSpan || passed < Deadline || !_holds.Remove(wait, generation))
        {
            return false;
        }

        if (Policy != Policy.Lockstep)
        {
            _dropped += _frames.Count;
            _frames.Clear();
            Drop(
                StatusCode.DeadlineExceeded,
                $"no frame was taken within {Deadline.TotalSeconds:0.###} s, while a full queue held the game: "
                + "read on, ask for more time, or subscribe with POLICY_LATEST");
        }
        else if (_patience.Miss())
        {
            Drop(StatusCode.DeadlineExceeded, TooLate());
        }

        return true;
    }

    /// <summary>The agent says something.</summary>
    /// <returns>Why it is to be dropped; null where it may say that much.</returns>
    public RequestRefusedException? Admit() => _talk.Take()
        ? null
        : new RequestRefusedException(
            StatusCode.ResourceExhausted,
            $"more than {TalkAllowance.Burst} messages upon a frame, and {TalkAllowance.PerSecond} a second, were "
            + "sent: a step takes an acknowledgement, and its actions together");

    /// <summary>The agent did what it may not: nothing comes any more but what is queued, and the reason.</summary>
    public Holds Drop(uint code, string why)
    {
        _blame = _last is null ? why : _blame;
        return Finish(Errors.Fatal(code, why, _answers.Offered));
    }

    /// <summary>Why it was dropped, once; null where it was not.</summary>
    public string? TakeBlame()
    {
        var blame = _blame;
        _blame = null;
        return blame;
    }

    /// <summary>Nothing comes any more but what is queued, and then this event.</summary>
    public Holds Finish(Event last)
    {
        _last ??= last;
        IsPlaying = false;
        return _holds.TakeAll();
    }

    /// <summary>The subscriber left.</summary>
    public Holds Clear()
    {
        _dropped += _frames.Count;
        _frames.Clear();
        _missed.Clear();
        _notices.Clear();
        _results.Clear();
        IsPlaying = false;
        return _holds.TakeAll();
    }

    /// <summary>A frame passes an empty queue whatever its size.</summary>
    private bool IsOverfull => _frames.Count > 1 && _frames.Bytes > queueBytes;

    // How long it may hold a publication back.
    private TimeSpan Deadline => Policy == Policy.Lockstep ? options.LockstepDeadline
        : info.Internal ? Timeout.InfiniteTimeSpan
        : options.PauseDeadline;

    // The playback jumped: what was before it and still waits is of no use. The bridge's own want all there was.
    private int Forget(PlaybackState jump)
    {
        if (info.Internal || _answers.Offered is null)
        {
            return 0;
        }

        var lost = _frames.Count;
        _frames.Clear();
        _missed.Clear();
        _dropped += lost;
        Notify(new Event { Playback = jump });
        return lost;
    }

    private int Queue(Frame frame, bool reading, PublishWait wait, long generation)
    {
        var behind = _frames.Bytes + FrameRing.Size(frame);
        if (!reading && _whenFull == WhenFull.End && _frames.Count > 0 && behind > queueBytes)
        {
            var lost = _frames.Count + 1;
            _frames.Clear();
            _dropped += lost;
            Drop(
                StatusCode.ResourceExhausted,
                $"the subscriber '{Name}' was {lost} frames ({behind} bytes) behind, more than its queue of "
                + $"{queueBytes} bytes: read faster, subscribe with a larger queue_bytes, or use POLICY_LATEST");
            return lost;
        }

        _frames.Enqueue(frame);
        if (!reading && IsOverfull)
        {
            _holds.Add(wait, generation);
            wait.Add(Deadline);
        }

        return 0;
    }

    // Newest only. A lockstep agent gets here with an unread frame only after it missed a deadline.
    private int Replace(Frame frame, PublishWait wait, long generation)
    {
        var lost = 0;
        while (_frames.Count > 0)
        {
            var skipped = _frames.Dequeue();
            _missed.Add(skipped);
            skipped.Release();
            lost++;
        }

        _dropped += lost;
        _frames.Enqueue(frame);
        if (Policy == Policy.Lockstep && !_patience.IsLate)
        {
            _holds.Add(wait, generation);
            wait.Add(Deadline);
        }

        return lost;
    }

    private Frame TakeFrame()
    {
        var before = _frames.Passage.Left;
        var frame = _frames.Dequeue();
        _answers.Take(frame.Header.Step);
        _talk.Refill();
        if (_missed.Frames == 0 && !_results.Has(before))
        {
            return frame;
        }

        var own = new ArrayBufferWriter<byte>();
        if (_missed.Frames > 0)
        {
            WireField.WriteBytes(own, V1.Frame.MissedFieldNumber, _missed.Take());
        }

        _results.TakeTo(own, before);
        var withOwn = frame.With(own.WrittenSpan.ToArray());
        frame.Release();
        return withOwn;
    }

    private string TooLate() =>
        $"{options.MostMissedDeadlines} deadlines of {options.LockstepDeadline.TotalSeconds:0.###} s have passed "
        + "without an answer: answer faster, ask for more time, or subscribe with POLICY_LATEST";

    private void Notify(Event notice)
    {
        // The oldest make room: the newest says where the agent stands.
        if (_notices.Count == LongestNotices)
        {
            _notices.Dequeue();
        }

        _notices.Enqueue(notice);
    }
}
