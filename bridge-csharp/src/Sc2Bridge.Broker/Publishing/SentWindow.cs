namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// What was sent and is not confirmed, with all that was sent behind it: where the broker is left it is sent again as a
/// whole, so that a reader finds every message behind the one before it. Thread-safe.
/// </summary>
internal sealed class SentWindow
{
    // A reader waits for as many as MessageOrder.MostBetween.
    private const int Most = 1024;
    private const long MostBytes = 8 << 20;

    private readonly Lock _lock = new();
    private readonly Queue<Sent> _sent = [];
    private readonly Action<Outgoing> _confirmed;
    private ulong _firstTag = 1;
    private int _channel;
    private long _bytes;

    /// <param name="confirmed">Gets each message, once, when the broker has confirmed it.</param>
    internal SentWindow(Action<Outgoing> confirmed) => _confirmed = confirmed;

    /// <summary>Whether more may be sent.</summary>
    internal bool HasRoom
    {
        get
        {
            lock (_lock)
            {
                return _sent.Count < Most && _bytes < MostBytes;
            }
        }
    }

    /// <summary>Messages in it that are not confirmed.</summary>
    internal int Unconfirmed
    {
        get
        {
            lock (_lock)
            {
                return _sent.Count(sent => !sent.IsConfirmed);
            }
        }
    }

    /// <summary>When the oldest was sent that is not confirmed, by <see cref="Environment.TickCount64"/>; null for none.</summary>
    internal long? OldestMs
    {
        get
        {
            lock (_lock)
            {
                return _sent.TryPeek(out var oldest) ? oldest.SentMs : null;
            }
        }
    }

    /// <summary>A message is sent, with the next number of its channel.</summary>
    internal void Add(Outgoing message)
    {
        lock (_lock)
        {
            _sent.Enqueue(new Sent(message) { SentMs = Environment.TickCount64 });
            _bytes += message.Bytes;
        }
    }

    /// <summary>The broker has confirmed a number, or all up to it.</summary>
    /// <param name="channel">Which channel's, as of <see cref="Again"/>; of one before nothing counts any more.</param>
    /// <param name="tag">The number.</param>
    /// <param name="isMultiple">All up to it.</param>
    internal void Confirm(int channel, ulong tag, bool isMultiple)
    {
        lock (_lock)
        {
            if (channel != _channel)
            {
                return;
            }

            var number = (int)(tag - _firstTag) + 1;
            foreach (var sent in _sent.Take(number).Skip(isMultiple ? 0 : number - 1))
            {
                sent.IsConfirmed = true;
                if (!sent.IsCounted)
                {
                    sent.IsCounted = true;
                    _confirmed(sent.Message);
                }
            }

            while (_sent.TryPeek(out var first) && first.IsConfirmed)
            {
                _bytes -= _sent.Dequeue().Message.Bytes;
                _firstTag++;
            }
        }
    }

    /// <summary>Another channel: all of it is to be sent again, with numbers from 1.</summary>
    /// <returns>The channel's number, and what is to be sent.</returns>
    internal (int Channel, IReadOnlyList<Outgoing> Messages) Again()
    {
        lock (_lock)
        {
            _channel++;
            _firstTag = 1;
            foreach (var sent in _sent)
            {
                sent.IsConfirmed = false;
                sent.SentMs = Environment.TickCount64;
            }

            return (_channel, [.. _sent.Select(sent => sent.Message)]);
        }
    }

    private sealed class Sent(Outgoing message)
    {
        public Outgoing Message => message;

        public long SentMs { get; set; }

        public bool IsConfirmed { get; set; }

        public bool IsCounted { get; set; }
    }
}
