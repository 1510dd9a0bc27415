using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// What the calls of one connection may come to, as an agent's messages on a stream: so many upon a step, and in every
/// second. Who goes on calling when it was refused as often again loses the connection.
/// </summary>
internal sealed class ConnectionLimiter
{
    /// <summary>Requests of one connection that wait for the game at a time, as on the WebSocket; others wait for them.</summary>
    public const int MostRequests = 64;

    private readonly IConnectionLifetimeFeature _connection;
    private readonly Lock _lock = new();
    private readonly ClientLimits _allowance;
    private readonly Queue<TaskCompletionSource> _waiting = new();
    private int _asking;

    private ConnectionLimiter(IConnectionLifetimeFeature connection, ClientLimits allowance) =>
        (_connection, _allowance) = (connection, allowance);

    /// <summary>Those of the connection that a call came on.</summary>
    /// <param name="http">The call.</param>
    /// <param name="hub">What it is about.</param>
    public static ConnectionLimiter Of(HttpContext http, Hub hub)
    {
        var items = http.Features.Get<IConnectionItemsFeature>()!.Items;
        lock (items)
        {
            if (items.TryGetValue(typeof(ConnectionLimiter), out var known))
            {
                return (ConnectionLimiter)known!;
            }

            var calls = new ConnectionLimiter(
                http.Features.Get<IConnectionLifetimeFeature>()!, new ClientLimits(hub, http.Connection));
            items[typeof(ConnectionLimiter)] = calls;
            return calls;
        }
    }

    /// <summary>A call comes, and was read: a client that still sends might not hear why it is refused.</summary>
    /// <exception cref="GrpcException">RESOURCE_EXHAUSTED: it is one too many.</exception>
    public void Admit()
    {
        var refused = _allowance.Take();
        if (refused == 0)
        {
            return;
        }

        if (refused == MessageRateLimiter.Burst)
        {
            _allowance.CutOff();
            _connection.Abort();
        }

        throw new GrpcException(
            GrpcCode.ResourceExhausted,
            $"{ClientLimits.TooMuch}, came on this connection: ask about many places or units in one query.");
    }

    /// <summary>Has the game asked, when fewer than <see cref="MostRequests"/> of the connection's wait for it.</summary>
    public async Task<T> AskAsync<T>(Func<Task<T>> ask, CancellationToken ct)
    {
        Task turn;
        lock (_lock)
        {
            if (_asking < MostRequests)
            {
                _asking++;
                turn = Task.CompletedTask;
            }
            else
            {
                var waits = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                _waiting.Enqueue(waits);
                turn = waits.Task;
            }
        }

        try
        {
            // Who is gone meanwhile keeps its turn, and passes it on when it comes.
            await turn;
            ct.ThrowIfCancellationRequested();
            return await ask();
        }
        finally
        {
            Next();
        }
    }

    private void Next()
    {
        lock (_lock)
        {
            if (_waiting.TryDequeue(out var next))
            {
                next.SetResult();
            }
            else
            {
                _asking--;
            }
        }
    }
}
