using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>Events that have their place among a subscriber's frames: each comes after those that were before it.</summary>
internal sealed class PlacedEvents
{
    /// <summary>The most bytes that may wait for an agent that acts and does not read.</summary>
    public const int MostBytes = 4 << 20;

    // An event's object, so that small ones are not for nothing.
    private const int Overhead = 128;

    private readonly Queue<(Event Event, long After, int Bytes)> _events = new();
    private int _bytes;

    /// <summary>Puts an event behind the frames so far.</summary>
    /// <param name="placed">The event.</param>
    /// <param name="after">How many frames there were.</param>
    /// <returns>False where too much waits: it was not taken.</returns>
    public bool TryEnqueue(Event placed, long after)
    {
        var bytes = placed.CalculateSize() + Overhead;
        if (bytes > MostBytes - _bytes)
        {
            return false;
        }

        _bytes += bytes;
        _events.Enqueue((placed, after, bytes));
        return true;
    }

    /// <summary>The next event whose turn it is.</summary>
    /// <param name="passed">How many frames have gone.</param>
    /// <param name="next">The event.</param>
    public bool TryDequeue(long passed, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Event? next)
    {
        if (_events.TryPeek(out var first) && first.After <= passed)
        {
            _events.Dequeue();
            _bytes -= first.Bytes;
            next = first.Event;
            return true;
        }

        next = null;
        return false;
    }

    /// <summary>Nobody reads them any more.</summary>
    public void Clear()
    {
        _events.Clear();
        _bytes = 0;
    }
}
