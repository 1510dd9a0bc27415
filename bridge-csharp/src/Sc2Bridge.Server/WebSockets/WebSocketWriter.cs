using System.Net.WebSockets;
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
    private int _isClosing;

    /// <summary>True from the first close on.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing) != 0;

    /// <summary>The client's.</summary>
    protected WebSocket Socket => socket;

    /// <summary>Who may write.</summary>
    protected SemaphoreSlim Turn { get; } = new(1, 1);

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

    /// <summary>
    /// Cuts the client off some time after the subscription was ended for the memory that it held: it may leave what was
    /// written unread.
    /// </summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="ended">The session has ended.</param>
    public async Task CutOffAsync(Subscription subscription, CancellationToken ended)
    {
        await subscription.EndedAsync();
        if (subscription.IsCutOff)
        {
            await Task.Delay(WebSocketLimits.CloseTimeout, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            socket.Abort();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _disposed.Cancel();
        _disposed.Dispose();
        Turn.Dispose();
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

        await Turn.WaitAsync();
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
            Turn.Release();
        }
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
