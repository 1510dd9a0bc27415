using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>Ends subscriptions whose tokens have expired, at most a second later.</summary>
internal sealed class TokenExpiry(SubscriptionRegistry subscriptions, TimeProvider time, ILogger logger) : IDisposable
{
    private static readonly TimeSpan _period = TimeSpan.FromSeconds(1);

    // An exception in a timer's callback would end the process.
    private readonly SidePath _path = new("expiry of tokens", logger);
    private ITimer? _timer;

    /// <summary>There is a token that expires. To be called under the hub's lock.</summary>
    public void Begin() => _timer ??= time.CreateTimer(
        _ => _path.Try(this, static expiry => expiry.EndExpired()), null, _period, _period);

    public void Dispose() => _timer?.Dispose();

    private void EndExpired()
    {
        var now = time.GetUtcNow();
        foreach (var subscription in subscriptions.All)
        {
            if (subscription.Info.Identity?.Expires <= now)
            {
                var expired = Errors.TokenExpired();
                subscription.Drop(expired.Code, expired.Message);
            }
        }
    }
}
