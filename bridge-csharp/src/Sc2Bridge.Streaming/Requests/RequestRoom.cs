namespace Sc2Bridge.Streaming;

/// <summary>
/// Bounds and charges the memory of all clients' requests, from their arrival until their answers are written. Each client may hold
/// half of what the others leave, so the answers that one client does not read cannot make the bridge refuse the others' requests.
/// Clients that may not play have room of their own. Thread-safe.
/// </summary>
/// <param name="memory">Charged.</param>
public sealed class RequestRoom(MemoryLedger memory)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<RequestClient, long> _held = [];
    private readonly Dictionary<bool, long> _all = new() { [false] = 0, [true] = 0 };

    /// <summary>The most that a client may hold while no other holds anything, in bytes.</summary>
    internal long MostOf(RequestClient client) => memory.Ceiling / (client.MayNotPlay ? 16 : 8);

    /// <summary>Charges bytes if there is room.</summary>
    /// <param name="client">Whose bytes they are.</param>
    /// <param name="bytes">How many.</param>
    /// <param name="needed">The bytes that must be free. An answer exists already: it may be longer than what is left.</param>
    /// <param name="taken">The bytes that others cannot have: no more than the client's share.</param>
    internal bool TryAdd(RequestClient client, long bytes, long needed, out long taken)
    {
        lock (_lock)
        {
            var own = _held.GetValueOrDefault(client);
            var left = MostOf(client) - ((_all[client.MayNotPlay] - own) / 2) - own;
            taken = Math.Clamp(left, 0, bytes);
            if (needed > left)
            {
                return false;
            }

            Take(client, taken);
        }

        memory.Add(MemoryAccount.Requests, bytes);
        return true;
    }

    internal void Remove(RequestClient client, long bytes, long taken)
    {
        lock (_lock)
        {
            Take(client, -taken);
        }

        memory.Add(MemoryAccount.Requests, -bytes);
    }

    private void Take(RequestClient client, long bytes)
    {
        _all[client.MayNotPlay] += bytes;
        var held = _held.GetValueOrDefault(client) + bytes;
        if (held == 0)
        {
            _held.Remove(client);
        }
        else
        {
            _held[client] = held;
        }
    }
}

/// <summary>Whose requests are counted together.</summary>
/// <param name="Owner">An identity, on all its connections. Without one, the session, or the connection of gRPC calls.</param>
/// <param name="MayNotPlay">Whether the client may not play.</param>
internal readonly record struct RequestClient(object Owner, bool MayNotPlay);
