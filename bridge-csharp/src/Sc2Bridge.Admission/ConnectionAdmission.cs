using System.Collections.Concurrent;
using System.Net;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Counts the connections, open requests and subscriptions of clients over all listeners of a process. Refuses clients over
/// the limits. It also limits the rates of messages and bytes. Thread-safe.
/// </summary>
public sealed class ConnectionAdmission : IDisposable
{
    // The bridge may refuse a flooding client a hundred thousand times, but the operator needs only one line.
    private static readonly TimeSpan _noticeInterval = TimeSpan.FromMinutes(1);

    private readonly ClientCount _connections;
    private readonly ClientCount _requests;
    private readonly ClientCount _subscriptions;
    private readonly AddressRate _subscriptionRate;
    private readonly ConcurrentDictionary<string, long> _lastNoticeMs = [];

    /// <param name="limits">The limits; null: the defaults.</param>
    public ConnectionAdmission(AdmissionLimits? limits = null)
    {
        Limits = limits ?? new AdmissionLimits();
        _connections = new("connections", "connections", Limits.Connections, Limits.ConnectionsPerAddress);
        _requests = new("requests", "connections", Limits.Requests, Limits.RequestsPerAddress);
        _subscriptions = new("subscriptions", "subscriptions", Limits.Subscriptions, Limits.SubscriptionsPerAddress);
        Unfinished = new(Limits.UnfinishedBytes);

        // If all subscriptions of one second began at once, their work would delay every agent.
        _subscriptionRate = new AddressRate(Limits.SubscriptionsPerSecond, burst: Limits.SubscriptionsPerSecond / 20);
        MessageRate = new AddressRate(Limits.MessagesPerSecond, burst: Limits.MessagesPerSecond);
        ByteRate = new AddressRate(Limits.BytesPerSecond, burst: Limits.BytesPerSecond);
    }

#pragma warning disable CA1003 // Listeners get a plain value.
    /// <summary>
    /// Raised when clients are refused, with one line for the operator: at most once a minute for each reason.
    /// </summary>
    public event Action<string>? Noticed;
#pragma warning restore CA1003

    /// <summary>The limits.</summary>
    public AdmissionLimits Limits { get; }

    /// <summary>The unfinished messages of all clients.</summary>
    public UnfinishedMessages Unfinished { get; }

    /// <summary>The message rate of each address.</summary>
    public AddressRate MessageRate { get; }

    /// <summary>The byte rate of each address.</summary>
    internal AddressRate ByteRate { get; }

    /// <summary>Waits until a client's address may begin one more subscription, and counts the subscription.</summary>
    /// <param name="remote">The client's address; null on a Unix socket.</param>
    /// <param name="ct">Cancels the wait.</param>
    /// <returns>Either an object to dispose when the subscription has ended, which lowers the count, or the reason for the refusal.</returns>
    public async ValueTask<(IDisposable? Place, Refusal? Refusal)> TryEnterSubscriptionAsync(IPAddress? remote, CancellationToken ct)
    {
        await _subscriptionRate.WaitAsync(remote, ct).ConfigureAwait(false);
        return (TryEnter(_subscriptions, remote, out var refusal), refusal);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _connections.Dispose();
        _requests.Dispose();
        _subscriptions.Dispose();
        _subscriptionRate.Dispose();
        MessageRate.Dispose();
        ByteRate.Dispose();
    }

    /// <summary>Counts a connection of a client.</summary>
    /// <param name="remote">The client's address; null on a Unix socket.</param>
    /// <param name="refusal">Why the connection is refused; null if it is allowed.</param>
    /// <returns>Dispose this object when the connection has ended, to lower the count. Null if the connection is refused.</returns>
    public IDisposable? TryEnterConnection(IPAddress? remote, out Refusal? refusal) => TryEnter(_connections, remote, out refusal);

    /// <summary>Counts a request: a call, a stream or a WebSocket.</summary>
    /// <param name="remote">The client's address; null on a Unix socket.</param>
    /// <param name="refusal">Why the request is refused; null if it is allowed.</param>
    /// <returns>Dispose this object when the request has ended, to lower the count. Null if the request is refused.</returns>
    public IDisposable? TryEnterRequest(IPAddress? remote, out Refusal? refusal) => TryEnter(_requests, remote, out refusal);

    /// <summary>Counts a refusal and reports it to the operator.</summary>
    internal void ReportRefusal(Refusal refusal)
    {
        refusal.AddToMetrics();
        var now = Environment.TickCount64;
        var last = _lastNoticeMs.GetOrAdd(refusal.Reason, long.MinValue);
        if ((last == long.MinValue || now - last > _noticeInterval.TotalMilliseconds) && _lastNoticeMs.TryUpdate(refusal.Reason, now, last))
        {
            Noticed?.Invoke($"Clients are refused: {refusal.Message}");
        }
    }

    private IDisposable? TryEnter(ClientCount count, IPAddress? remote, out Refusal? refusal)
    {
        var place = count.TryEnter(ClientAddress.Of(remote), out refusal);
        if (refusal is not null)
        {
            ReportRefusal(refusal);
        }

        return place;
    }
}
