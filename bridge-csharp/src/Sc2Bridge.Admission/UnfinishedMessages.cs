using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Bounds what is held of messages that have begun and are not whole, for all peers together: each is short of its own limit, and
/// thousands of them are not. Past the bound the one that has been unfinished for longest is cut off: others' are whole in
/// milliseconds. Thread-safe.
/// </summary>
/// <param name="most">The most bytes that are held of them.</param>
public sealed class UnfinishedMessages(long most)
{
    /// <summary>So much of a message is not counted, and costs no lock.</summary>
    public const int Uncounted = 4 << 10;

    private readonly Lock _lock = new();
    private readonly LinkedList<UnfinishedMessage> _byAge = new();
    private long _held;

    /// <summary>Why one is cut off.</summary>
    public string Refusal =>
        $"The bridge holds {most >> 20} MiB of messages that are not ended, and yours for longest: end each that you begin";

    /// <summary>A peer that sends one message after another.</summary>
    /// <param name="cut">Ends it, from any thread, as its message is held no longer.</param>
    public UnfinishedMessage Of(Action cut) => new(this, cut);

    internal bool Resize(UnfinishedMessage message, long bytes)
    {
        List<UnfinishedMessage>? cut = null;
        lock (_lock)
        {
            if (!message.IsCut)
            {
                Count(message, bytes);
            }
            else if (bytes > 0)
            {
                // The peer gets the reason before its own read fails: who cut it may not have come to that yet.
                cut = [message];
            }

            while (_held > most)
            {
                var oldest = _byAge.First!.Value;
                Count(oldest, 0);
                oldest.IsCut = true;
                (cut ??= []).Add(oldest);
            }
        }

        cut?.ForEach(one => one.Cut());
        return !message.IsCut;
    }

    private void Count(UnfinishedMessage message, long bytes)
    {
        _held += bytes - message.Bytes;
        message.Bytes = bytes;
        if (bytes == 0)
        {
            message.Place.List?.Remove(message.Place);
        }
        else if (message.Place.List is null)
        {
            _byAge.AddLast(message.Place);
        }
    }
}

/// <summary>What is held of one peer's message. One thread at a time.</summary>
public sealed class UnfinishedMessage : IDisposable
{
    private readonly UnfinishedMessages _all;

    internal UnfinishedMessage(UnfinishedMessages all, Action cut)
    {
        (_all, Cut, Place) = (all, cut, new(this));
    }

    internal Action Cut { get; }

    internal LinkedListNode<UnfinishedMessage> Place { get; }

    internal long Bytes { get; set; }

    internal bool IsCut { get; set; }

    /// <summary>More is held of it, or nothing any more.</summary>
    /// <param name="bytes">Its length so far; 0 once it is whole.</param>
    /// <returns>False where it was cut off.</returns>
    public bool Resize(long bytes)
    {
        var counted = bytes > UnfinishedMessages.Uncounted ? bytes : 0;
        return (counted == 0 && Bytes == 0 && !IsCut) || _all.Resize(this, counted);
    }

    /// <summary>The peer is gone.</summary>
    public void Dispose() => Resize(0);
}
