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
    // Enough for a few hundred placements or their answers.
    private const long AlwaysHeld = 64 << 10;

    // Clients of one connection can have different tokens: watchers wait for their share of the game, agents do not wait for them.
    private readonly ConcurrentDictionary<(uint Perspective, RequestClient Client), RequestWindow> _sides = new();
    private long _bytes;

    /// <summary>A request has arrived. It is in flight, and its memory is charged, until it is disposed.</summary>
    /// <param name="identity">Who sent it.</param>
    /// <param name="request">The message.</param>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it takes too much memory, or too much waits already.</exception>
    public HeldRequest Hold(Identity identity, IMessage request)
    {
        ArgumentNullException.ThrowIfNull(identity);
        var client = new RequestClient(identity == Identity.Anonymous ? this : identity, identity.MayNotPlay);
        var (held, most) = (new HeldRequest(this, client), room.MostOf(client));
        var bytes = ParsedMemory.Of(request, most);
        return held.TryAdd(bytes, free: bytes) ? held : throw Refused(bytes > most
            ? $"the request takes more than the {most >> 20} MiB of memory that a client may hold: ask about less in one request, "
                + "or start the bridge with a larger --memory"
            : "too many bytes of requests and answers wait, of this client or of others: read your answers, then send this request again");
    }

    internal static RequestRefusedException Refused(string why) => new(StatusCode.ResourceExhausted, why);

    /// <summary>The window of a client on a side.</summary>
    internal RequestWindow Of(uint perspective, RequestClient client) =>
        _sides.GetOrAdd((perspective, client), static _ => new RequestWindow(RequestGate.Places));

    /// <summary>Charges bytes. A connection may always charge a few; more only if there is room.</summary>
    /// <param name="bytes">How many.</param>
    /// <param name="free">The bytes that must be free: all of a request, 1 for an answer, because it exists already.</param>
    /// <param name="client">Whose bytes they are.</param>
    /// <param name="taken">To give back with the bytes.</param>
    internal bool TryAdd(long bytes, long free, RequestClient client, out long taken)
    {
        var needed = Interlocked.Read(ref _bytes) + bytes <= AlwaysHeld ? long.MinValue : free;
        var isAdded = room.TryAdd(client, bytes, needed, out taken);
        Interlocked.Add(ref _bytes, isAdded ? bytes : 0);
        return isAdded;
    }

    internal void Remove(long bytes, long taken, RequestClient client)
    {
        Interlocked.Add(ref _bytes, -bytes);
        room.Remove(client, bytes, taken);
    }
}
