using System.Net;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Limits what one connection may ask outside its subscription: so much for each step of the match, and in every
/// second. A connection that asks for more is reported to the person who runs the match. Thread-safe.
/// </summary>
internal sealed class ClientLimits
{
    /// <summary>What there was too much of, as the beginning of a sentence.</summary>
    public static readonly string TooMuch =
        $"More than {MessageRateLimiter.Burst} messages upon a step, and {MessageRateLimiter.PerSecond} a second";

    private readonly Lock _lock = new();
    private readonly MessageRateLimiter _messages = new();
    private readonly Hub _hub;
    private readonly string _client;
    private int _refused;
    private ulong _step;

    /// <param name="hub">Where the match's progress is read, and refusals are reported.</param>
    /// <param name="address">The client's; null on a socket's file.</param>
    /// <param name="port">The client's.</param>
    public ClientLimits(Hub hub, IPAddress? address, int port)
    {
        _hub = hub;
        _client = address is not null
            ? $"the client at {new IPEndPoint(address, port)}"
            : "a client on the socket's file";
    }

    /// <summary>The client asks for something.</summary>
    /// <returns>0 where it may; else how often it was refused by now.</returns>
    public int Take()
    {
        int refused;
        lock (_lock)
        {
            if (_messages.Take())
            {
                return 0;
            }

            var step = _hub.Perspectives.NewestStep(0);
            if (step != _step)
            {
                _step = step;
                _messages.Refill();
                _messages.Take();
                return 0;
            }

            refused = ++_refused;
        }

        if (refused == 1)
        {
            _hub.Events.Notice($"{_client} asks too much, and is refused: {TooMuch}");
        }

        return refused;
    }

    /// <summary>The client sends a message before it has subscribed.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it is one too many.</exception>
    public void Admit()
    {
        if (Take() > 0)
        {
            throw new RequestRefusedException(
                StatusCode.ResourceExhausted, $"{TooMuch}, came before a subscribe: ask about many places or units in one query.");
        }
    }

    /// <summary>The client went on after refusals, and loses its connection.</summary>
    public void CutOff() => _hub.Events.Notice($"{_client} was cut off: it asked on when it was refused");
}
