using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>
/// Bounds what is buffered for clients that have shown no token: the next request of a connection waits until the answer has left
/// this machine, few long answers are sent at a time, and a client that leaves one unread is cut off.
/// </summary>
internal static class StrangerAnswers
{
    // Bytes of each may fill the connection's buffer.
    private const int MostLong = 16;

    private static readonly TimeSpan _firstLook = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan _longestLook = TimeSpan.FromMilliseconds(300);

    /// <summary>Watches over the answers to requests without an identity. To be used before all that answers.</summary>
    /// <param name="app">The application.</param>
    /// <param name="patience">How long an answer may be unread.</param>
    public static void Watch(IApplicationBuilder app, TimeSpan patience) => app.Use(async (http, next) =>
    {
        await next(http);
        if (http.Features.Get<Identity>() is not null || ConnectionLimiter.IsKnown(http)
            || http.Features.Get<SendBacklog>() is not { IsClear: false } backlog)
        {
            return;
        }

        var since = Environment.TickCount64;
        for (var look = _firstLook; !backlog.IsClear; look = look < _longestLook ? 2 * look : look)
        {
            // Also after a reset of the stream, which leaves its bytes in the connection's buffer.
            await Task.Delay(look);
            if (Environment.TickCount64 - since > patience.TotalMilliseconds)
            {
                http.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort();
                return;
            }
        }
    });

    /// <summary>Serves few requests at a time of an endpoint that takes no token and has long answers.</summary>
    public static void AreLong(IEndpointConventionBuilder endpoint)
    {
        var places = new ConcurrencyLimiter(new() { PermitLimit = MostLong, QueueLimit = int.MaxValue });
        endpoint.Add(made =>
        {
            var serve = made.RequestDelegate!;
            made.RequestDelegate = async http =>
            {
                http.Response.RegisterForDispose(await places.AcquireAsync(1, http.RequestAborted));
                await serve(http);
            };
        });
    }
}
