namespace Sc2Bridge.Streaming;

/// <summary>
/// Limits and charges the memory of all clients' requests, from their arrival until their answers are written. A quarter of the ledger's
/// ceiling is for clients that may play, and an eighth for all others. Each client may use half of the bytes that the other clients
/// of its kind leave free. So a client that does not read its answers cannot make the bridge refuse the requests of others. Thread-safe.
/// </summary>
/// <param name="memory">The ledger that counts the bytes.</param>
public sealed class RequestRoom(MemoryLedger memory)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<RequestClient, long> _heldByClient = [];
    private readonly Dictionary<bool, long> _heldByLackOfPlayRole = new() { [false] = 0, [true] = 0 };

    /// <summary>The most bytes that a client may use while no other client uses any.</summary>
    internal long MaxBytesOf(RequestClient client) => memory.Ceiling / (client.LacksPlayRole ? 16 : 8);

    /// <summary>Charges bytes if enough of the client's limit is free.</summary>
    /// <param name="client">The client that is charged.</param>
    /// <param name="bytes">The number of bytes.</param>
    /// <param name="requiredFree">How many bytes must be free. An answer exists already, so the answer may be longer than the free bytes.</param>
    /// <param name="chargedShare">How many of the bytes count against the client's limit: at most the bytes that were free.</param>
    internal bool TryCharge(RequestClient client, long bytes, long requiredFree, out long chargedShare)
    {
        lock (_lock)
        {
            var own = _heldByClient.GetValueOrDefault(client);
            var available = MaxBytesOf(client) - ((_heldByLackOfPlayRole[client.LacksPlayRole] - own) / 2) - own;
            chargedShare = Math.Clamp(available, 0, bytes);
            if (requiredFree > available)
            {
                return false;
            }

            AddHeld(client, chargedShare);
        }

        memory.Add(MemoryAccount.Requests, bytes);
        return true;
    }

    internal void Remove(RequestClient client, long bytes, long chargedShare)
    {
        lock (_lock)
        {
            AddHeld(client, -chargedShare);
        }

        memory.Add(MemoryAccount.Requests, -bytes);
    }

    private void AddHeld(RequestClient client, long bytes)
    {
        _heldByLackOfPlayRole[client.LacksPlayRole] += bytes;
        var held = _heldByClient.GetValueOrDefault(client) + bytes;
        if (held == 0)
        {
            _heldByClient.Remove(client);
        }
        else
        {
            _heldByClient[client] = held;
        }
    }
}

/// <summary>The client whose requests are counted together.</summary>
/// <param name="Owner">What identifies the client: its identity on all connections, or without an identity its session or its gRPC connection.</param>
/// <param name="LacksPlayRole">Whether the client may not play.</param>
internal readonly record struct RequestClient(object Owner, bool LacksPlayRole);
