using System.Collections.Concurrent;
using System.Security.Cryptography;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The sessions of running subscriptions: with its secret id, a client's calls on any connection belong to its subscriber.
/// Thread-safe.
/// </summary>
public sealed class Sessions
{
    // 128 bits.
    private const int Digits = 32;

    private readonly ConcurrentDictionary<string, Subscription> _running = [];

    /// <summary>The subscriber that a call belongs to.</summary>
    /// <param name="session">The session id of the call; empty if it has none.</param>
    /// <param name="own">The subscription of the call's connection; null if it has none.</param>
    /// <param name="identity">The client that calls.</param>
    /// <param name="mayHaveEnded">Whether the session may have ended.</param>
    /// <returns>Null if the call belongs to no subscriber, or to one whose session has ended.</returns>
    /// <exception cref="RequestRefusedException">
    /// FAILED_PRECONDITION: the session has ended. PERMISSION_DENIED: it is another client's.
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

        return subscription.Info.Who == identity
            ? subscription
            : throw new RequestRefusedException(
                StatusCode.PermissionDenied, "this session is another client's: use the token that it was subscribed with");
    }

    /// <summary>Opens a session, which ends with <see cref="Close"/>.</summary>
    /// <returns>Its id.</returns>
    internal string Open(Subscription subscription)
    {
        var id = RandomNumberGenerator.GetHexString(Digits, lowercase: true);
        _running[id] = subscription;
        return id;
    }

    /// <summary>Ends a session.</summary>
    internal void Close(string id) => _running.TryRemove(id, out _);
}
