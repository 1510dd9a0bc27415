using System.Collections.Concurrent;
using System.Net;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Counts the connections, open requests and subscriptions of clients, for all listeners of a process together, and refuses what is
/// over the limits. Messages and bytes have rates. Thread-safe.
/// </summary>
public sealed class ConnectionAdmission : IDisposable
{
    // Who floods is refused a hundred thousand times; a person is told so once.
    private static readonly TimeSpan _quiet = TimeSpan.FromMinutes(1);

    private readonly ClientCount _connections;
    private readonly ClientCount _requests;
    private readonly ClientCount _subscriptions;
    private readonly AddressRate _begun;
    private readonly ConcurrentDictionary<string, long> _told = [];

    /// <param name="limits">The limits; null: the defaults.</param>
    public ConnectionAdmission(AdmissionLimits? limits = null)
    {
        Limits = limits ?? new AdmissionLimits();
        _connections = new("connections", "connections", Limits.Connections, Limits.ConnectionsPerAddress);
        _requests = new("requests", "connections", Limits.Requests, Limits.RequestsPerAddress);
        _subscriptions = new("subscriptions", "subscriptions", Limits.Subscriptions, Limits.SubscriptionsPerAddress);
        Unfinished = new(Limits.UnfinishedBytes);

        // A second's worth of calls at once, each of which is work, would be heard by every agent.
        _begun = new AddressRate(Limits.SubscriptionsPerSecond, atOnce: Limits.SubscriptionsPerSecond / 20);
        Messages = new AddressRate(Limits.MessagesPerSecond, atOnce: Limits.MessagesPerSecond);
        Bytes = new AddressRate(Limits.BytesPerSecond, atOnce: Limits.BytesPerSecond);
    }

#pragma warning disable CA1003 // A plain value.
    /// <summary>One clear line for the operator: clients are being refused. Once a minute at most for each reason.</summary>
    public event Action<string>? Noticed;
#pragma warning restore CA1003

    /// <summary>The limits.</summary>
    public AdmissionLimits Limits { get; }

    /// <summary>What clients have begun to send.</summary>
    public UnfinishedMessages Unfinished { get; }

    /// <summary>The messages of each address.</summary>
    public AddressRate Messages { get; }

    /// <summary>The bytes of each address.</summary>
    internal AddressRate Bytes { get; }

    /// <summary>A client subscribes: waits until its address may begin one more subscription.</summary>
    /// <param name="remote">Its address; null on a socket's file.</param>
    /// <param name="ct">Gives up.</param>
    /// <returns>A place, to be disposed when the subscription has ended; or why it may not subscribe.</returns>
    public async ValueTask<(IDisposable? Place, Refusal? Refusal)> SubscribeAsync(IPAddress? remote, CancellationToken ct)
    {
        await _begun.WaitAsync(remote, ct).ConfigureAwait(false);
        return (Enter(_subscriptions, remote, out var refusal), refusal);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _connections.Dispose();
        _requests.Dispose();
        _subscriptions.Dispose();
        _begun.Dispose();
        Messages.Dispose();
        Bytes.Dispose();
    }

    /// <summary>A client connects.</summary>
    /// <param name="remote">Its address; null on a Unix socket.</param>
    /// <param name="refusal">Why it may not; null where it may.</param>
    /// <returns>To be disposed when it has gone; null where it is refused.</returns>
    public IDisposable? Connection(IPAddress? remote, out Refusal? refusal) => Enter(_connections, remote, out refusal);

    /// <summary>A request begins, of whatever kind: a call, a stream, a WebSocket.</summary>
    /// <param name="remote">The client's address; null on a socket's file.</param>
    /// <param name="refusal">Why it may not; null where it may.</param>
    /// <returns>To be disposed when the request has ended; null where it is refused.</returns>
    public IDisposable? Request(IPAddress? remote, out Refusal? refusal) => Enter(_requests, remote, out refusal);

    /// <summary>Counts a refusal, and tells the operator.</summary>
    internal void Refuse(Refusal refusal)
    {
        refusal.Count();
        var now = Environment.TickCount64;
        var last = _told.GetOrAdd(refusal.Reason, long.MinValue);
        if ((last == long.MinValue || now - last > _quiet.TotalMilliseconds) && _told.TryUpdate(refusal.Reason, now, last))
        {
            Noticed?.Invoke($"Clients are refused: {refusal.Message}");
        }
    }

    private IDisposable? Enter(ClientCount count, IPAddress? remote, out Refusal? refusal)
    {
        var place = count.Enter(ClientAddress.Of(remote), out refusal);
        if (refusal is not null)
        {
            Refuse(refusal);
        }

        return place;
    }
}
