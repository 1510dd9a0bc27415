using System.Collections.Concurrent;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The requests of one connection that are in flight. If too many of them go to one side, the next requests to this side wait
/// until earlier answers are written. Requests to another side do not wait, because a step of one side may itself wait for the
/// agent of another side. Thread-safe.
/// </summary>
/// <param name="room">The memory limit that all connections share.</param>
public sealed class ConnectionRequests(RequestRoom room)
{
    // Bytes that a connection may always use: enough for a few hundred placement queries or their answers.
    private const long AlwaysAllowedBytes = 64 << 10;

    // Each client has its own request windows, because clients of one connection can have different tokens. Clients that may not play
    // wait longer (see RequestGate), and an agent must not wait for them.
    private readonly ConcurrentDictionary<(uint Perspective, RequestClient Client), RequestWindow> _windows = new();
    private long _bytes;

    /// <summary>Registers a request that has arrived. The request is in flight, and its memory is charged, until the result is disposed.</summary>
    /// <param name="identity">The sender.</param>
    /// <param name="request">The message.</param>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: the request is too large, or too many bytes wait already.</exception>
    public HeldRequest Hold(Identity identity, IMessage request)
    {
        ArgumentNullException.ThrowIfNull(identity);
        var client = new RequestClient(identity == Identity.Anonymous ? this : identity, identity.LacksPlayRole);
        var (held, maxBytes) = (new HeldRequest(this, client), room.MaxBytesOf(client));
        var bytes = ParsedMemory.EstimateBytes(request, maxBytes);
        return held.TryCharge(bytes, requiredFree: bytes) ? held : throw Refused(bytes > maxBytes
            ? $"the request takes more than the {maxBytes >> 20} MiB of memory that a client may hold: ask about less in one request, "
                + "or start the bridge with a larger --memory"
            : "too many bytes of requests and answers of this or other clients wait: read your answers, then send this request again");
    }

    internal static RequestRefusedException Refused(string why) => new(StatusCode.ResourceExhausted, why);

    /// <summary>Limits the requests of one client to one side.</summary>
    internal RequestWindow WindowOf(uint perspective, RequestClient client) =>
        _windows.GetOrAdd((perspective, client), static _ => new RequestWindow(RequestGate.PlaceCount));

    /// <summary>Charges bytes if the connection's total then is at most 64 KiB, or if enough of the client's memory limit is free.</summary>
    /// <param name="bytes">The number of bytes.</param>
    /// <param name="requiredFree">How many bytes must be free: all bytes of a request, but only 1 for an answer, because an answer exists already.</param>
    /// <param name="client">The client that is charged.</param>
    /// <param name="chargedShare">How many of the bytes count against the client's limit. Pass this number to <see cref="Remove"/> with the bytes.</param>
    internal bool TryCharge(long bytes, long requiredFree, RequestClient client, out long chargedShare)
    {
        var neededFree = Interlocked.Read(ref _bytes) + bytes <= AlwaysAllowedBytes ? long.MinValue : requiredFree;
        var isAdded = room.TryCharge(client, bytes, neededFree, out chargedShare);
        Interlocked.Add(ref _bytes, isAdded ? bytes : 0);
        return isAdded;
    }

    internal void Remove(long bytes, long chargedShare, RequestClient client)
    {
        Interlocked.Add(ref _bytes, -bytes);
        room.Remove(client, bytes, chargedShare);
    }
}
