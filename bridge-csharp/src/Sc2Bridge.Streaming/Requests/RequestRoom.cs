using System.Collections.Concurrent;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Bounds and charges the memory of all clients' requests, from their arrival until their answers are written. Each client may hold
/// half of what the others leave, so that what it does not read cannot have their requests refused. Clients that may not play have
/// room of their own. Thread-safe.
/// </summary>
/// <param name="memory">Charged.</param>
public sealed class RequestRoom(MemoryLedger memory)
{
    private readonly ConcurrentDictionary<RequestClient, long> _held = new();

    /// <summary>
    /// The most that a client may hold if no other holds anything, in bytes. One answer may be longer: the excess does not count for others.
    /// </summary>
    internal long MostOf(RequestClient client) => memory.Ceiling / (client.OnlyWatches ? 16 : 8);

    /// <summary>Whether a client may hold so many bytes more.</summary>
    internal bool Has(RequestClient client, long bytes)
    {
        var most = MostOf(client);
        var others = _held.Where(one => one.Key.OnlyWatches == client.OnlyWatches && one.Key != client).Sum(one => Math.Min(one.Value, most));
        return 2 * (_held.GetValueOrDefault(client) + bytes) <= (2 * most) - others;
    }

    internal void Add(RequestClient client, long bytes)
    {
        memory.Add(MemoryAccount.Requests, bytes);
        _held.AddOrUpdate(client, bytes, (_, held) => held + bytes);
        _held.TryRemove(new(client, 0));
    }
}

/// <summary>Whose requests are counted together.</summary>
/// <param name="Owner">An identity, on all its connections. Without one, the connection.</param>
/// <param name="OnlyWatches">Whether the client may not play.</param>
internal readonly record struct RequestClient(object Owner, bool OnlyWatches);
