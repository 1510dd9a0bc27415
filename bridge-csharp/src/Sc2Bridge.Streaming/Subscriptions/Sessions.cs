using System.Collections.Concurrent;
using System.Security.Cryptography;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The sessions of running subscriptions. A client that sends the secret session id with a call, on any connection, acts as
/// the subscriber of that session. Thread-safe.
/// </summary>
public sealed class Sessions
{
    // 32 hexadecimal digits have 128 bits.
    private const int Digits = 32;

    private readonly ConcurrentDictionary<string, Subscription> _running = [];

    /// <summary>Returns the subscriber that a call belongs to.</summary>
    /// <param name="session">The session id in the call; empty if the call has none.</param>
    /// <param name="own">The subscription of the call's own connection; null if the connection has none.</param>
    /// <param name="identity">The client that calls.</param>
    /// <param name="mayHaveEnded">Whether to accept a session that has ended.</param>
    /// <returns>Null if the call belongs to no subscriber, or if its session has ended and <paramref name="mayHaveEnded"/> is true.</returns>
    /// <exception cref="RequestRefusedException">
    /// FAILED_PRECONDITION: the session has ended. PERMISSION_DENIED: the session belongs to another client.
    /// </exception>
    public Subscription? CallerOf(string session, Subscription? own, Identity identity, bool mayHaveEnded = false)
    {
        ArgumentNullException.ThrowIfNull(session);
        if (session.Length == 0 || session == own?.SessionId)
        {
            return own;
        }

        if (!_running.TryGetValue(session, out var subscription))
        {
            return mayHaveEnded ? null : throw new RequestRefusedException(
                StatusCode.FailedPrecondition, "this session has ended: leave session_id out, or subscribe again");
        }

        return subscription.Info.IdentityOrAnonymous == identity
            ? subscription
            : throw new RequestRefusedException(
                StatusCode.PermissionDenied, "this session is another client's: send the token with which the session was subscribed");
    }

    /// <summary>Opens a session. <see cref="Close"/> ends it.</summary>
    /// <returns>The session's id.</returns>
    internal string Open(Subscription subscription)
    {
        var id = RandomNumberGenerator.GetHexString(Digits, lowercase: true);
        _running[id] = subscription;
        return id;
    }

    internal void Close(string id) => _running.TryRemove(id, out _);
}
