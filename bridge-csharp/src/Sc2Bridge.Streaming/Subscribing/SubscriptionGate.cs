using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// A subscription's one lock: its state changes under it, and what a change brings about (a delivery for the reader that
/// waits, publishers that go on) is done once it is open again. In steady state nothing is allocated for a frame.
/// </summary>
internal sealed class SubscriptionGate
{
    private readonly Lock _lock = new();
    private readonly SubscriptionState _state;
    private readonly PendingRead _read;
    private readonly Action<string> _dropped;
    private TaskCompletionSource? _lastTimes;
    private TaskCompletionSource? _ended;
    private bool _reading;
    private bool _closed;

    /// <param name="state">Touched by nobody else.</param>
    /// <param name="inline">Whether the reader may go on on the thread that brings its delivery.</param>
    /// <param name="dropped">Called, with the reason, where a change has dropped the subscriber.</param>
    public SubscriptionGate(SubscriptionState state, bool inline, Action<string> dropped)
    {
        _state = state;
        _read = new PendingRead(inline, GiveUpRead);
        _dropped = dropped;
    }

    /// <summary>What the state says now.</summary>
    public T Look<T>(Func<SubscriptionState, T> look)
    {
        lock (_lock)
        {
            return look(_state);
        }
    }

    /// <summary>Offers a frame, which counts those who take it, and what they lose by it.</summary>
    /// <param name="frame">The whole frame.</param>
    /// <param name="subscribers">How many more take it, where this one does.</param>
    /// <param name="wait">Told where this subscriber holds the publication back.</param>
    /// <param name="generation">The publication.</param>
    public void Offer(ObservationFrame frame, int subscribers, PublishBarrier wait, long generation)
    {
        Outcome outcome;
        lock (_lock)
        {
            if (_closed || !_state.Accepts(frame))
            {
                return;
            }

            frame.Subscribers += subscribers;
            frame.Dropped += _state.Offer(frame, _reading && _read.Takes, wait, generation);
            outcome = Settle();
        }

        BringAbout(outcome);
    }

    /// <summary>See <see cref="Subscription.ReadAsync"/>.</summary>
    public ValueTask<Delivery> ReadAsync(CancellationToken ct)
    {
        HeldPublications released;
        Delivery delivery;
        lock (_lock)
        {
            RefuseSecondRead();
            if (!_state.TryTake(out delivery, out released))
            {
                _read.Begin(takes: true);
                _reading = true;
            }
        }

        if (delivery == default)
        {
            return _read.WaitAsync(ct);
        }

        released.Resolve(inline: false);
        return new ValueTask<Delivery>(delivery);
    }

    /// <summary>See <see cref="Subscription.ReadyAsync"/>.</summary>
    public ValueTask ReadyAsync(CancellationToken ct)
    {
        lock (_lock)
        {
            RefuseSecondRead();
            if (_state.HasNext)
            {
                return ValueTask.CompletedTask;
            }

            _read.Begin(takes: false);
            _reading = true;
        }

        return _read.ReadyAsync(ct);
    }

    /// <summary>The agent is done with a step.</summary>
    public void Acknowledge(ulong step)
    {
        HeldPublications released;
        Outcome outcome;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            released = _state.Acknowledge(step);
            outcome = Settle();
        }

        BringAbout(outcome);
        released.Resolve(inline: true);
    }

    /// <summary>The agent reports times of a step.</summary>
    /// <param name="step">Which.</param>
    /// <param name="perspective">The agent's.</param>
    /// <param name="actions">How many it sent for the step; null where it only watches.</param>
    /// <returns>Whether it can have measured them; where not, it is told.</returns>
    public bool TakesTimes(ulong step, out uint perspective, out int? actions)
    {
        lock (_lock)
        {
            perspective = _state.Perspective;
            actions = _state.ActionsFor(step);
            return _state.TakesTimes(step);
        }
    }

    /// <summary>The agent has sent actions; null where it has left.</summary>
    /// <param name="actor">The agent.</param>
    /// <param name="actions">What it sent.</param>
    /// <param name="bytes">Their size.</param>
    /// <param name="askedNs">When they came.</param>
    /// <param name="refusal">Why they are refused; null where they are to be done.</param>
    public AgentActions? TakeActions(
        IActionSender actor, Actions actions, int bytes, long askedNs, out RequestRefusedException? refusal)
    {
        lock (_lock)
        {
            refusal = null;
            if (_closed)
            {
                return null;
            }

            var taken = new AgentActions(actor, _state.Perspective, actions, bytes, askedNs);
            refusal = _state.TakeActions(taken);
            return taken;
        }
    }

    /// <summary>A deadline of a publication has passed.</summary>
    /// <returns>True where it was this subscriber's, which is waited for no longer, and not dropped for it.</returns>
    public bool DeadlinePassed(PublishBarrier wait, long generation, TimeSpan passed)
    {
        Outcome outcome;
        lock (_lock)
        {
            if (_closed || !_state.DeadlinePassed(wait, generation, passed))
            {
                return false;
            }

            outcome = Settle();
        }

        wait.Resolve(generation, inline: false);
        BringAbout(outcome);
        return outcome.Blame is null;
    }

    /// <summary>Any other change.</summary>
    public void Change(Func<SubscriptionState, HeldPublications> change)
    {
        HeldPublications released;
        Outcome outcome;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            released = change(_state);
            outcome = Settle();
        }

        released.Resolve(inline: false);
        BringAbout(outcome);
    }

    /// <summary>See <see cref="Subscription.LastTimesAsync"/>.</summary>
    public Task LastTimesAsync()
    {
        lock (_lock)
        {
            _lastTimes ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            TellLastTimes();
            return _lastTimes.Task;
        }
    }

    /// <summary>See <see cref="Subscription.EndedAsync"/>.</summary>
    public Task EndedAsync()
    {
        lock (_lock)
        {
            _ended ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            TellEnd();
            return _ended.Task;
        }
    }

    /// <summary>The subscriber left: nothing changes any more.</summary>
    /// <returns>False where it had left before.</returns>
    public bool Close()
    {
        HeldPublications released;
        bool reading;
        lock (_lock)
        {
            if (_closed)
            {
                return false;
            }

            _closed = true;
            TellLastTimes();
            TellEnd();
            released = _state.Clear();
            reading = _reading;
            _reading = false;
        }

        released.Resolve(inline: false);
        if (reading)
        {
            _read.Fail(new ObjectDisposedException(nameof(Subscription)));
        }

        return true;
    }

    // Under the lock.
    private void RefuseSecondRead()
    {
        ObjectDisposedException.ThrowIf(_closed, typeof(Subscription));
        if (_reading)
        {
            throw new InvalidOperationException("A read is under way: read one delivery at a time.");
        }
    }

    private bool GiveUpRead()
    {
        lock (_lock)
        {
            var reading = _reading;
            _reading = false;
            return reading;
        }
    }

    // Under the lock.
    private void TellLastTimes()
    {
        if (_closed || !_state.OwesTimes)
        {
            _lastTimes?.TrySetResult();
        }
    }

    // Under the lock.
    private void TellEnd()
    {
        if (_closed || _state.HasEnded)
        {
            _ended?.TrySetResult();
        }
    }

    // Under the lock, after a change of the state.
    private Outcome Settle()
    {
        TellLastTimes();
        TellEnd();
        Delivery delivery = default;
        var ends = _reading && (_read.Takes ? _state.TryTake(out delivery, out _) : _state.HasNext);
        _reading &= !ends;
        return new Outcome(ends, delivery, _state.TakeBlame());
    }

    // Without the lock.
    private void BringAbout(Outcome outcome)
    {
        if (outcome.EndsRead)
        {
            _read.Deliver(outcome.Delivery);
        }

        if (outcome.Blame is not null)
        {
            _dropped(outcome.Blame);
        }
    }

    /// <summary>What a change of the state brings about, once the gate is open again.</summary>
    /// <param name="EndsRead">Whether the reader waits no more.</param>
    /// <param name="Delivery">What it gets; default where it takes nothing, or goes on waiting.</param>
    /// <param name="Blame">Why the subscriber is dropped; null where it is not.</param>
    private readonly record struct Outcome(bool EndsRead, Delivery Delivery, string? Blame);
}
