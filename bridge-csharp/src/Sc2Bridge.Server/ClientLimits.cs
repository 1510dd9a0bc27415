using System.Net;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// How much one connection may ask that is no subscriber's stream: so much upon a step of the match, and in every second.
/// The person who runs the match is told of one that asks for more. Thread-safe.
/// </summary>
internal sealed class ClientLimits
{
    /// <summary>What is too much, as the beginning of a sentence.</summary>
    public static readonly string TooMuch =
        $"More than {MessageRateLimiter.Burst} messages upon a step, and {MessageRateLimiter.PerSecond} a second";

    private readonly Lock _lock = new();
    private readonly MessageRateLimiter _messages = new();
    private readonly Hub _hub;
    private readonly string _client;
    private int _refused;
    private ulong _step;

    /// <param name="hub">Tells how far the match is, and the person what is refused.</param>
    /// <param name="connection">The client's.</param>
    public ClientLimits(Hub hub, ConnectionInfo connection)
    {
        _hub = hub;
        _client = connection.RemoteIpAddress is { } host
            ? $"the client at {new IPEndPoint(host, connection.RemotePort)}"
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

    /// <summary>The client went on, and loses its connection.</summary>
    public void CutOff() => _hub.Events.Notice($"{_client} was cut off: it asked on when it was refused");
}
