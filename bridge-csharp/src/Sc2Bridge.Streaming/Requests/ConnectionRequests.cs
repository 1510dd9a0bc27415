using System.Collections.Concurrent;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The requests of one connection that are in flight. The next requests of a side go to the game when earlier answers are written.
/// One side does not wait for another: a step of one side may wait for the other's agent. Thread-safe.
/// </summary>
/// <param name="room">What all connections share.</param>
public sealed class ConnectionRequests(RequestRoom room)
{
    // The objects of the longest request for drawings.
    private const long MostOfOne = 32 << 20;

    // Enough for a few hundred placements or their answers.
    private const long AlwaysHeld = 64 << 10;

    // Clients of one connection can have different tokens: watchers wait for their share of the game, agents do not wait for them.
    private readonly ConcurrentDictionary<(uint Perspective, bool OnlyWatches), RequestWindow> _sides = new();
    private long _bytes;

    /// <summary>A request has arrived. It is in flight, and its memory is charged, until it is disposed.</summary>
    /// <param name="identity">Who sent it.</param>
    /// <param name="request">The message.</param>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it takes too much memory, or too much waits already.</exception>
    public HeldRequest Hold(Identity identity, IMessage request)
    {
        ArgumentNullException.ThrowIfNull(identity);
        var bytes = ParsedMemory.Of(request, MostOfOne);
        if (bytes > MostOfOne)
        {
            throw Refused($"the request takes more than {MostOfOne >> 20} MiB of memory: ask about less in one request");
        }

        var held = new HeldRequest(this, identity.OnlyWatches);
        return held.TryAdd(bytes, free: bytes) ? held
            : throw Refused("too many bytes of requests wait for their answers: wait for an answer, then send this request again");
    }

    internal static RequestRefusedException Refused(string why) => new(StatusCode.ResourceExhausted, why);

    /// <summary>The window of a side.</summary>
    internal RequestWindow Of(uint perspective, bool onlyWatches) =>
        _sides.GetOrAdd((perspective, onlyWatches), static _ => new RequestWindow(RequestGate.Places));

    /// <summary>Charges bytes. A connection may always charge a few; more only if there is room.</summary>
    /// <param name="bytes">How many.</param>
    /// <param name="free">The bytes that must be free: all of a request, 0 for an answer, because it exists already.</param>
    /// <param name="onlyWatches">Whether the client may only watch.</param>
    internal bool TryAdd(long bytes, long free, bool onlyWatches)
    {
        if (Interlocked.Read(ref _bytes) + bytes > AlwaysHeld && !room.Has(free, onlyWatches))
        {
            return false;
        }

        Add(bytes, onlyWatches);
        return true;
    }

    internal void Add(long bytes, bool onlyWatches)
    {
        Interlocked.Add(ref _bytes, bytes);
        room.Add(bytes, onlyWatches);
    }
}
