using System.Collections.Concurrent;
using System.Net;
using System.Threading.RateLimiting;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Counts the connections, open requests, subscriptions, messages and bytes of clients, for all listeners of a process together, and
/// refuses what is over the limits. Thread-safe.
/// </summary>
public sealed class ConnectionAdmission : IDisposable
{
    // Who floods is refused a hundred thousand times; a person is told so once.
    private static readonly TimeSpan _quiet = TimeSpan.FromMinutes(1);

    private readonly ClientCount _connections;
    private readonly ClientCount _requests;
    private readonly ClientCount _subscriptions;
    private readonly PartitionedRateLimiter<IPAddress> _begun;
    private readonly PartitionedRateLimiter<IPAddress> _messages;
    private readonly PartitionedRateLimiter<IPAddress> _bytes;
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
        _begun = PerSecond(Limits.SubscriptionsPerSecond, atOnce: Limits.SubscriptionsPerSecond / 20);
        _messages = PerSecond(Limits.MessagesPerSecond, atOnce: Limits.MessagesPerSecond);
        _bytes = PerSecond(Limits.BytesPerSecond, atOnce: Limits.BytesPerSecond);
    }

#pragma warning disable CA1003 // A plain value.
    /// <summary>One clear line for the operator: clients are being refused. Once a minute at most for each reason.</summary>
    public event Action<string>? Noticed;
#pragma warning restore CA1003

    /// <summary>The limits.</summary>
    public AdmissionLimits Limits { get; }

    /// <summary>What clients have begun to send.</summary>
    public UnfinishedMessages Unfinished { get; }

    /// <summary>A client subscribes: waits until its address may begin one more subscription.</summary>
    /// <param name="remote">Its address; null on a socket's file.</param>
    /// <param name="ct">Gives up.</param>
    /// <returns>A place, to be disposed when the subscription has ended; or why it may not subscribe.</returns>
    public async ValueTask<(IDisposable? Place, Refusal? Refusal)> SubscribeAsync(IPAddress? remote, CancellationToken ct)
    {
        await WaitAsync(_begun, ClientAddress.Of(remote), 1, ct).ConfigureAwait(false);
        return (Enter(_subscriptions, remote, out var refusal), refusal);
    }

    /// <summary>Waits until one more message of the address may be handled; at once below its allowance.</summary>
    /// <param name="remote">The client's address; null on a socket's file.</param>
    /// <param name="ct">Gives up.</param>
    public ValueTask ReadMessageAsync(IPAddress? remote, CancellationToken ct) =>
        WaitAsync(_messages, ClientAddress.Of(remote), 1, ct);

    /// <inheritdoc/>
    public void Dispose()
    {
        _connections.Dispose();
        _requests.Dispose();
        _subscriptions.Dispose();
        _begun.Dispose();
        _messages.Dispose();
        _bytes.Dispose();
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

    /// <summary>Waits until the bytes that an address has sent are within its allowance.</summary>
    internal ValueTask ReadBytesAsync(IPAddress address, long count, CancellationToken ct) =>
        WaitAsync(_bytes, address, (int)Math.Min(count, Limits.BytesPerSecond), ct);

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

    private static ValueTask WaitAsync(
        PartitionedRateLimiter<IPAddress> limiter, IPAddress address, int count, CancellationToken ct)
    {
        using var lease = limiter.AttemptAcquire(address, count);
        return lease.IsAcquired ? ValueTask.CompletedTask : QueueAsync(limiter, address, count, ct);
    }

    // First come, first served: of those who wait each has one message, or the bytes of one read.
    private static async ValueTask QueueAsync(
        PartitionedRateLimiter<IPAddress> limiter, IPAddress address, int count, CancellationToken ct)
    {
        using var lease = await limiter.AcquireAsync(address, count, ct).ConfigureAwait(false);
    }

    // All that wait for one period's share are handled at once: it is short.
    private static PartitionedRateLimiter<IPAddress> PerSecond(int count, int atOnce)
    {
        var share = Math.Max(1, count / 50);
        return PartitionedRateLimiter.Create<IPAddress, IPAddress>(address => RateLimitPartition.GetTokenBucketLimiter(
            address,
            _ => new TokenBucketRateLimiterOptions
            {
                TokenLimit = Math.Max(share, atOnce),
                TokensPerPeriod = share,
                ReplenishmentPeriod = TimeSpan.FromSeconds((double)share / count),
                QueueLimit = int.MaxValue,
            }));
    }
}
