using System.Net;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Limits how many messages a connection may send outside its subscription, per step of the match and per second. If a
/// connection exceeds the limit, the person who runs the match gets a notice. Thread-safe.
/// </summary>
internal sealed class ClientLimits
{
    /// <summary>The limit, worded to follow "exceeded" in a sentence.</summary>
    public static readonly string LimitText =
        $"the limit of {MessageRateLimiter.Burst} messages after each step, and then {MessageRateLimiter.PerSecond} a second";

    private readonly Lock _lock = new();
    private readonly MessageRateLimiter _messages = new();
    private readonly Hub _hub;
    private readonly string _client;
    private int _refusals;
    private ulong _step;

    /// <param name="hub">Knows the match's newest step, and receives the notices.</param>
    /// <param name="address">The client's address; null on a Unix socket.</param>
    /// <param name="port">The client's port.</param>
    public ClientLimits(Hub hub, IPAddress? address, int port)
    {
        _hub = hub;
        _client = address is not null
            ? $"the client at {new IPEndPoint(address, port)}"
            : "a client on the Unix socket";
    }

    /// <summary>Counts a message.</summary>
    /// <returns>0 if the message is allowed; otherwise the number of refusals so far.</returns>
    public int CountMessage()
    {
        int refused;
        lock (_lock)
        {
            if (_messages.TryAcquire())
            {
                return 0;
            }

            var step = _hub.Perspectives.NewestStep(0);
            if (step != _step)
            {
                _step = step;
                _messages.Refill();
                _messages.TryAcquire();
                return 0;
            }

            refused = ++_refusals;
        }

        if (refused == 1)
        {
            _hub.Events.Notice($"{_client} exceeded {LimitText}: its further messages are refused");
        }

        return refused;
    }

    /// <summary>Counts a message that the client sends before it has subscribed.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: the limit is exceeded.</exception>
    public void AdmitBeforeSubscription()
    {
        if (CountMessage() > 0)
        {
            throw new RequestRefusedException(
                StatusCode.ResourceExhausted, $"You exceeded {LimitText}, before you subscribed: ask about many places or units in one query.");
        }
    }

    /// <summary>Reports that the client is disconnected because it ignored refusals.</summary>
    public void ReportDisconnect() => _hub.Events.Notice($"{_client} was disconnected: it continued to send messages after they were refused");
}
