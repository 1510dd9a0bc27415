using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Limits the buffered bytes of the unfinished messages of all peers. The limit for each message does not bound the total of
/// thousands of messages. Above the total limit, the peer whose message has been unfinished for longest is disconnected. Normal
/// messages are complete within milliseconds. Thread-safe.
/// </summary>
/// <param name="maxBytes">The total limit of buffered bytes.</param>
public sealed class UnfinishedMessages(long maxBytes)
{
    /// <summary>Messages up to this size are not counted and need no lock.</summary>
    public const int UncountedBytes = 4 << 10;

    private readonly Lock _lock = new();
    private readonly LinkedList<UnfinishedMessage> _byAge = new();
    private long _bufferedBytes;

    /// <summary>Why a peer is disconnected, as one line for that peer.</summary>
    public string RefusalMessage =>
        $"The bridge buffers {maxBytes >> 20} MiB of unfinished messages, and your message is the oldest: finish each message that you begin";

    /// <summary>Tracks the messages of one peer, which sends them one after another.</summary>
    /// <param name="disconnect">Disconnects the peer. It can be called on any thread.</param>
    public UnfinishedMessage Track(Action disconnect) => new(this, disconnect);

    internal bool Resize(UnfinishedMessage message, long bytes)
    {
        List<UnfinishedMessage>? disconnected = null;
        lock (_lock)
        {
            if (!message.IsDisconnected)
            {
                Count(message, bytes);
            }
            else if (bytes > 0)
            {
                // Another thread chose this peer, but may not have called Disconnect yet. This thread also calls Disconnect,
                // because the peer must get the reason before its read fails.
                disconnected = [message];
            }

            while (_bufferedBytes > maxBytes)
            {
                var oldest = _byAge.First!.Value;
                Count(oldest, 0);
                oldest.IsDisconnected = true;
                (disconnected ??= []).Add(oldest);
            }
        }

        disconnected?.ForEach(peer => peer.Disconnect());
        return !message.IsDisconnected;
    }

    private void Count(UnfinishedMessage message, long bytes)
    {
        _bufferedBytes += bytes - message.Bytes;
        message.Bytes = bytes;
        if (bytes == 0)
        {
            message.Node.List?.Remove(message.Node);
        }
        else if (message.Node.List is null)
        {
            _byAge.AddLast(message.Node);
        }
    }
}

/// <summary>The buffered bytes of one peer's message. Used by one thread at a time.</summary>
public sealed class UnfinishedMessage : IDisposable
{
    private readonly UnfinishedMessages _messages;

    internal UnfinishedMessage(UnfinishedMessages messages, Action disconnect)
    {
        (_messages, Disconnect, Node) = (messages, disconnect, new(this));
    }

    internal Action Disconnect { get; }

    internal LinkedListNode<UnfinishedMessage> Node { get; }

    internal long Bytes { get; set; }

    internal bool IsDisconnected { get; set; }

    /// <summary>Sets the length of the message. Call it when the message has grown, or is complete.</summary>
    /// <param name="bytes">The length of the message so far; 0 if the message is complete.</param>
    /// <returns>False if the peer was disconnected.</returns>
    public bool Resize(long bytes)
    {
        var counted = bytes > UnfinishedMessages.UncountedBytes ? bytes : 0;
        return (counted == 0 && Bytes == 0 && !IsDisconnected) || _messages.Resize(this, counted);
    }

    /// <summary>Stops counting the peer's message. Call this method when the peer has disconnected.</summary>
    public void Dispose() => Resize(0);
}
