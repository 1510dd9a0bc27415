using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a subscription's policy makes of frames, answers and reads: plain state, no threads. The methods that let go of
/// publications which this subscriber held back return them, for their publishers to be told.
/// </summary>
internal sealed class SubscriptionState(string name, V1.SubscribeRequest request, SubscriberInfo info, HubOptions options)
{
    private readonly MatchBinding _tie = new(request, info);
    private readonly DeliveryQueue _queue = new();
    private readonly AckTracker _answers = new();
    private readonly PartSet _leaveOut = SubscriptionRequest.LeftOut(request);
    private readonly long _queueBytes = request.QueueBytes == 0 ? options.DefaultQueueBytes : (long)request.QueueBytes;
    private readonly ActionQuota? _acting = request.CanAct ? new ActionQuota() : null;
    private readonly MessageRateLimiter _talk = new();
    private readonly DeadlineTracker _patience = new(options);
    private readonly IdleTimeout? _silence =
        request is { CanAct: true, Policy: Policy.Latest } ? new IdleTimeout(options) : null;
    private HeldPublications _holds;
    private bool _saysNoMore;
    private string? _blame;
    private long _dropped;

    public string Name { get; } = name;

    public Policy Policy { get; } = request.Policy == Policy.Unspecified ? Policy.Every : request.Policy;

    public uint Priority => request.Priority;

    /// <summary>The side that it plays, or played; null where it only watches.</summary>
    public uint? Side => _tie.Side;

    /// <summary>Whether its agent can go on to play.</summary>
    public bool IsPlaying { get; private set; } = request.CanAct;

    /// <summary>Whose eyes it has; 0 until that is known.</summary>
    public uint Perspective => _tie.Perspective ?? 0;

    /// <summary>The match that it is tied to; null where none was announced yet.</summary>
    public MatchDescription? Match => _tie.Match;

    /// <summary>Whether nothing comes any more but what is queued, and the last event.</summary>
    public bool HasEnded => _queue.HasEnded;

    /// <summary>Whether the last event was given out, and all that came before it is known to have been heard.</summary>
    public bool IsHeardOut => _queue.IsReadOut && !(request.ReportsTimes && _answers.OwesTimes);

    public SubscriberState Snapshot() => new(
        Name, info.Transport, Policy, _tie.Perspective, _queue.Count, _queue.Bytes, _answers.Delivered, _dropped,
        _answers.Taken, info.Internal, HasEnded);

    /// <summary>Ties the subscription to a match, or ends it where the match is not what was asked for.</summary>
    public HeldPublications Bind(MatchDescription description) =>
        Match is null && !HasEnded && _tie.Bind(description) is { } refusal
            ? Finish(Errors.Fatal(refusal.Code, refusal.Message))
            : default;

    /// <summary>Whether a frame is for this subscriber.</summary>
    public bool Accepts(ObservationFrame frame) => !HasEnded && _tie.Accepts(frame.Header);

    /// <summary>Takes a frame under the policy.</summary>
    /// <param name="frame">The whole frame; what is left out is left out here.</param>
    /// <param name="reading">A reader waits, so the frame goes straight to it.</param>
    /// <param name="wait">Told where this subscriber holds the publication back.</param>
    /// <param name="generation">The publication.</param>
    /// <returns>Frames lost.</returns>
    public int Offer(ObservationFrame frame, bool reading, PublishBarrier wait, long generation)
    {
        if (_patience.GoesOn() || _silence?.Offer() == true)
        {
            Drop(StatusCode.DeadlineExceeded, _silence?.Blame ?? Errors.TooLate(options));
            _dropped++;
            return 1;
        }

        var lost = frame.Jump is { } jump ? Forget(jump) : 0;
        _answers.Offer(frame.Header.Step, isJump: frame.Jump is not null);
        var selected = frame.Select(_leaveOut);
        info.Offered?.Offered(selected, _leaveOut);
        return lost + (Policy == Policy.Every
            ? Queue(selected, reading, wait, generation)
            : Replace(selected, wait, generation));
    }

    /// <summary>Whether <see cref="TryTake"/> has something for the reader, or refuses.</summary>
    public bool HasNext => _queue.HasNext;

    /// <summary>What is next for the reader; see <see cref="DeliveryQueue.TryTake"/>.</summary>
    public bool TryTake(out Delivery delivery, out HeldPublications released)
    {
        released = default;
        if (!_queue.TryTake(out delivery))
        {
            return false;
        }

        if (delivery.Frame is { } frame)
        {
            _answers.Take(frame.Header.Step);
            _talk.Refill();
            _silence?.Takes();
            if (Policy == Policy.Every && !IsOverfull)
            {
                released = _holds.TakeAll();
            }
        }

        return true;
    }

    /// <summary>An agent's answer to a step.</summary>
    public HeldPublications Acknowledge(ulong step)
    {
        _silence?.Answers();
        if (Policy != Policy.Lockstep || HasEnded)
        {
            return default;
        }

        switch (_answers.Answer(step))
        {
            case AckKind.Unknown:
                _queue.Notify(Errors.EarlyAnswer(step, _answers.Offered));
                return default;
            case AckKind.Again:
                return default;
            case AckKind.Newest when !_patience.IsLate:
                return _holds.TakeAll();
        }

        // Whoever answers again is waited for again, from the next step on.
        _patience.Answered();
        _queue.Notify(Errors.LateAnswer(step));
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
        if (!HasEnded)
        {
            _queue.Notify(Errors.BadTimes(step, _answers.WasTaken(step)));
        }

        return false;
    }

    /// <summary>Whether the agent reports times, and those of the last step that it took are to come.</summary>
    public bool OwesTimes => request.ReportsTimes && _answers.OwesTimes && !_saysNoMore;

    /// <summary>Actions that came for a step; null where the agent only watches.</summary>
    public int? ActionsFor(ulong step) => _acting?.Of(step);

    /// <summary>The agent has sent actions.</summary>
    /// <returns>Why they are refused; null where they are to be done.</returns>
    public RequestRefusedException? TakeActions(AgentActions actions) => _acting is null
        ? Errors.WatchesOnly(Name)
        : _acting.Take(actions, _answers, Policy == Policy.Lockstep, _patience.IsLate);

    /// <summary>It is known what became of actions: the agent hears of it with the next frame.</summary>
    public HeldPublications Tell(AgentActions done)
    {
        _acting?.Done(done);
        if (!HasEnded && !_queue.TryTell(done.Result))
        {
            return Drop(StatusCode.ResourceExhausted, Errors.UnreadResults());
        }

        return default;
    }

    /// <summary>Nobody waits for this agent's answers any more: it has said its last.</summary>
    public HeldPublications EndAnswers()
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
    public bool DeadlinePassed(PublishBarrier wait, long generation, TimeSpan passed)
    {
        if (Deadline == Timeout.InfiniteTimeSpan || passed < Deadline || !_holds.Remove(wait, generation))
        {
            return false;
        }

        if (Policy != Policy.Lockstep)
        {
            _dropped += _queue.Forget();
            Drop(StatusCode.DeadlineExceeded, Errors.HeldTooLong(Deadline));
        }
        else if (_patience.Miss())
        {
            Drop(StatusCode.DeadlineExceeded, Errors.TooLate(options));
        }

        return true;
    }

    /// <summary>The agent says something.</summary>
    /// <returns>Why it is to be dropped; null where it may say that much.</returns>
    public RequestRefusedException? Admit()
    {
        _silence?.Speaks();
        return _talk.Take() ? null : Errors.TalksTooMuch();
    }

    /// <summary>The agent did what it may not: nothing comes any more but what is queued, and the reason.</summary>
    public HeldPublications Drop(uint code, string why)
    {
        _blame = !HasEnded ? why : _blame;
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
    public HeldPublications Finish(Event last)
    {
        _queue.Finish(last);
        IsPlaying = false;
        return _holds.TakeAll();
    }

    /// <summary>The subscriber left.</summary>
    public HeldPublications Clear()
    {
        _dropped += _queue.Clear();
        IsPlaying = false;
        return _holds.TakeAll();
    }

    /// <summary>A frame passes an empty queue whatever its size.</summary>
    private bool IsOverfull => _queue.Count > 1 && _queue.Bytes > _queueBytes;

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

        var lost = _queue.Forget();
        _dropped += lost;
        _queue.Notify(new Event { Playback = jump });
        return lost;
    }

    private int Queue(ObservationFrame frame, bool reading, PublishBarrier wait, long generation)
    {
        var behind = _queue.Bytes + FrameRing.Size(frame);
        if (!reading && _tie.Overflow == Overflow.End && _queue.Count > 0 && behind > _queueBytes)
        {
            var lost = _queue.Forget() + 1;
            _dropped += lost;
            Drop(StatusCode.ResourceExhausted, Errors.TooFarBehind(Name, lost, behind, _queueBytes));
            return lost;
        }

        _queue.Enqueue(frame);
        if (!reading && IsOverfull)
        {
            _holds.Add(wait, generation);
            wait.Add(Deadline);
        }

        return 0;
    }

    // Newest only. A lockstep agent gets here with an unread frame only after it missed a deadline.
    private int Replace(ObservationFrame frame, PublishBarrier wait, long generation)
    {
        var lost = _queue.Skip();
        _dropped += lost;
        _queue.Enqueue(frame);
        if (Policy == Policy.Lockstep && !_patience.IsLate)
        {
            _holds.Add(wait, generation);
            wait.Add(Deadline);
        }

        return lost;
    }
}
