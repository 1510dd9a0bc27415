namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// The oldest unconfirmed message, and all messages that were sent after it. After a reconnection, all these messages are sent
/// again. So the stream keeps the order of the messages, but some messages appear twice. Thread-safe.
/// </summary>
internal sealed class SentWindow
{
    // This limit is less than MessageOrder.MaxOutOfOrder, because a reader counts a message as lost after that many later messages.
    private const int MaxMessages = 1024;
    private const long MaxBytes = 8 << 20;

    private readonly Lock _lock = new();
    private readonly Queue<Sent> _sent = [];
    private readonly Action<Outgoing> _onConfirmed;
    private ulong _firstTag = 1;
    private int _channelNumber;
    private long _bytes;

    /// <param name="onConfirmed">Called once for each message that the broker has confirmed.</param>
    internal SentWindow(Action<Outgoing> onConfirmed) => _onConfirmed = onConfirmed;

    /// <summary>Whether another message may be sent.</summary>
    internal bool HasRoom
    {
        get
        {
            lock (_lock)
            {
                return _sent.Count < MaxMessages && _bytes < MaxBytes;
            }
        }
    }

    /// <summary>The number of unconfirmed messages.</summary>
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

    /// <summary>The time when the oldest unconfirmed message was sent (<see cref="Environment.TickCount64"/>); null if all are confirmed.</summary>
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

    /// <summary>Adds a message that is about to be sent. The broker gives the message the next delivery tag of the channel.</summary>
    internal void Add(Outgoing message)
    {
        lock (_lock)
        {
            _sent.Enqueue(new Sent(message) { SentMs = Environment.TickCount64 });
            _bytes += message.Bytes;
        }
    }

    /// <summary>Handles a confirmation of the broker.</summary>
    /// <param name="channel">The number from <see cref="StartChannel"/>. Confirmations of earlier channels are ignored.</param>
    /// <param name="tag">The delivery tag.</param>
    /// <param name="isMultiple">Whether all messages up to the tag are confirmed.</param>
    internal void Confirm(int channel, ulong tag, bool isMultiple)
    {
        lock (_lock)
        {
            if (channel != _channelNumber)
            {
                return;
            }

            var count = (int)(tag - _firstTag) + 1;
            foreach (var sent in _sent.Take(count).Skip(isMultiple ? 0 : count - 1))
            {
                sent.IsConfirmed = true;
                if (!sent.IsReported)
                {
                    sent.IsReported = true;
                    _onConfirmed(sent.Message);
                }
            }

            while (_sent.TryPeek(out var first) && first.IsConfirmed)
            {
                _bytes -= _sent.Dequeue().Message.Bytes;
                _firstTag++;
            }
        }
    }

    /// <summary>Starts a new channel. The caller must send all messages of the window again. Their delivery tags start at 1.</summary>
    /// <returns>The channel's number and the messages to send again.</returns>
    internal (int Channel, IReadOnlyList<Outgoing> Messages) StartChannel()
    {
        lock (_lock)
        {
            _channelNumber++;
            _firstTag = 1;
            foreach (var sent in _sent)
            {
                sent.IsConfirmed = false;
                sent.SentMs = Environment.TickCount64;
            }

            return (_channelNumber, [.. _sent.Select(sent => sent.Message)]);
        }
    }

    private sealed class Sent(Outgoing message)
    {
        public Outgoing Message => message;

        public long SentMs { get; set; }

        public bool IsConfirmed { get; set; }

        public bool IsReported { get; set; }
    }
}
