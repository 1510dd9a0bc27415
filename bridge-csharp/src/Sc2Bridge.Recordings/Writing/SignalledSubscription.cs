using System.Runtime.CompilerServices;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Subscription = Sc2Bridge.Streaming.Subscription;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// A subscription to the frames of every perspective, for one thread that waits for other things too: it is woken when
/// there is something to read.
/// </summary>
/// <param name="hub">The hub.</param>
/// <param name="queueBytes">What may wait, in bytes.</param>
/// <param name="wake">Called on any thread, the publisher's too: does next to nothing.</param>
internal sealed class SignalledSubscription(Hub hub, long queueBytes, Action wake) : IDisposable
{
    private Subscription _subscription = Subscribe(hub, queueBytes, match: "");
    private ValueTaskAwaiter<Delivery> _read;
    private bool _reading;

    /// <summary>The match that it is tied to; null where none was announced yet.</summary>
    public MatchDescription? Match => _subscription.Match;

    /// <summary>The next delivery, where there is one; otherwise the thread is woken when there is.</summary>
    public bool TryRead(out Delivery delivery)
    {
        if (!_reading)
        {
            Begin(_subscription.ReadAsync(CancellationToken.None));
        }

        delivery = default;
        if (_read.IsCompleted)
        {
            _reading = false;
            delivery = _read.GetResult();
        }

        return !_reading;
    }

    /// <summary>Begins anew with the newest frame, after it was told to have been too slow.</summary>
    /// <returns>False where the match has ended.</returns>
    public bool Renew()
    {
        _subscription.Dispose();
        try
        {
            _subscription = Subscribe(hub, queueBytes, _subscription.Match!.MatchId);
            return true;
        }
        catch (RequestRefusedException)
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _subscription.Dispose();
        if (!_reading)
        {
            return;
        }

        // The read is over, or is about to be, where the publisher has a delivery for it in its hands.
        _reading = false;
        SpinWait.SpinUntil(() => _read.IsCompleted);
        try
        {
            _read.GetResult().Release();
        }
        catch (ObjectDisposedException)
        {
            // There was nothing.
        }
    }

    private static Subscription Subscribe(Hub hub, long queueBytes, string match) => hub.Subscribe(
        new V1.SubscribeRequest
        {
            Policy = Policy.Every,
            Agent = "recorder",
            MatchId = match,
            QueueBytes = (ulong)queueBytes,
        },
        new SubscriberInfo("recording", DeliverInline: true, Internal: true, EveryPerspective: true));

    private void Begin(ValueTask<Delivery> read)
    {
        _read = read.GetAwaiter();
        _reading = true;
        if (!_read.IsCompleted)
        {
            _read.UnsafeOnCompleted(wake);
        }
    }
}
