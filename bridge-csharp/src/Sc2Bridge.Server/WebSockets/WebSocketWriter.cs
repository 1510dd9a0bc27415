using System.Net.WebSockets;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// The way out to one client. Its messages come from several tasks and a socket takes one at a time: a semaphore, which
/// costs neither an allocation nor a change of thread while it is uncontended. Nothing follows the close.
/// </summary>
/// <param name="socket">Its owner disposes it.</param>
/// <param name="link">What it has not sent yet; null where that is unknown.</param>
internal abstract class WebSocketWriter(WebSocket socket, SendBacklog? link) : IDisposable
{
    private readonly CancellationTokenSource _disposed = new();
    private readonly UnreadWrites _writes = new();
    private readonly SemaphoreSlim _turn = new(1, 1);
    private int _isClosing;

    /// <summary>True from the first close on.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing) != 0;

    /// <summary>The client's.</summary>
    protected WebSocket Socket => socket;

    /// <summary>Whether nothing may follow; read in turn.</summary>
    protected bool IsClosed { get; private set; }

    /// <summary>The close's status of an error: 4000 and the code.</summary>
    /// <param name="code">A gRPC status code.</param>
    public static WebSocketCloseStatus StatusOf(uint code) => (WebSocketCloseStatus)(4000 + code);

    /// <summary>Waits until what was written has left this machine; returns at once where that is unknown.</summary>
    /// <param name="subscription">Whose messages they are.</param>
    /// <param name="ct">Gives up.</param>
    public ValueTask ClearAsync(Subscription subscription, CancellationToken ct) =>
        link is null ? ValueTask.CompletedTask : link.ClearAsync(link.Sent, subscription, ct);

    /// <summary>Cuts the client off if it leaves a message unread for too long after the subscription has ended.</summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">How long that is.</param>
    /// <param name="logger">Logs it.</param>
    /// <param name="ended">The session has ended.</param>
    public Task WatchAsync(Subscription subscription, TimeSpan patience, ILogger logger, CancellationToken ended) =>
        _writes.WatchAsync(subscription, patience, socket.Abort, logger, ended);

    /// <inheritdoc/>
    public void Dispose()
    {
        _disposed.Cancel();
        _disposed.Dispose();
        _turn.Dispose();
    }

    /// <summary>Closes this direction; only the first call does anything.</summary>
    /// <param name="last">Writes the last message, in turn; null: there is none.</param>
    /// <param name="status">The close's code.</param>
    /// <param name="reason">Shortened where it is longer than a close can hold.</param>
    /// <param name="patience">How long, from now, the client has to read that and close too; then it is cut off.</param>
    /// <exception cref="WebSocketException">The connection is gone.</exception>
    protected async Task CloseAsync(Func<ValueTask>? last, WebSocketCloseStatus status, string reason, TimeSpan patience)
    {
        if (Interlocked.Exchange(ref _isClosing, 1) == 0)
        {
            _ = CutAfterAsync(patience, _disposed.Token);
        }

        await BeginWriteAsync();
        try
        {
            if (IsClosed)
            {
                return;
            }

            if (last is not null)
            {
                await last();
            }

            IsClosed = true;
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(status, WebSocketEnd.Reason(reason), CancellationToken.None);
            }
        }
        finally
        {
            EndWrite();
        }
    }

    /// <summary>Waits until this write is the only one.</summary>
    protected Task BeginWriteAsync()
    {
        var turn = _turn.WaitAsync();
        if (!turn.IsCompletedSuccessfully)
        {
            return BeginAfterAsync(turn);
        }

        _writes.Begin();
        return turn;
    }

    /// <summary>Lets the next write begin.</summary>
    protected void EndWrite()
    {
        _writes.End();
        _turn.Release();
    }

    private async Task BeginAfterAsync(Task turn)
    {
        await turn;
        _writes.Begin();
    }

    // Not in a timer's callback, which would end the process with whatever it throws.
    private async Task CutAfterAsync(TimeSpan patience, CancellationToken disposed)
    {
        await Task.Delay(patience, disposed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!disposed.IsCancellationRequested)
        {
            socket.Abort();
        }
    }
}
