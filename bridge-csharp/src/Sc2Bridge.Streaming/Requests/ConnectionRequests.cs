using System.Collections.Concurrent;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The requests of one connection that are in flight. Of each side, the next ones go to the game when the answers before them are
/// written. One side does not wait for another: a step of one side may wait for the other's agent. Thread-safe.
/// </summary>
/// <param name="room">What all connections share.</param>
public sealed class ConnectionRequests(RequestRoom room)
{
    // Some thousand placements, or as many answers.
    private const long AlwaysHeld = 256 << 10;

    private readonly ConcurrentDictionary<uint, RequestWindow> _sides = new();
    private long _bytes;

    /// <summary>A request has arrived. It is in flight until it is disposed.</summary>
    /// <param name="identity">Who sent it.</param>
    public HeldRequest Hold(Identity identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        return new HeldRequest(this, identity.OnlyWatches);
    }

    /// <summary>The window of a side.</summary>
    internal RequestWindow Of(uint perspective) =>
        _sides.GetOrAdd(perspective, static _ => new RequestWindow(RequestGate.Places));

    /// <summary>Whether so much may be added, or as much as is held already.</summary>
    internal bool HasRoom(long bytes, bool onlyWatches) => bytes <= AlwaysHeld || !room.IsFull(onlyWatches);

    internal bool HasRoom(bool onlyWatches) => HasRoom(Interlocked.Read(ref _bytes), onlyWatches);

    internal void Add(long bytes, bool onlyWatches)
    {
        Interlocked.Add(ref _bytes, bytes);
        room.Add(bytes, onlyWatches);
    }
}
