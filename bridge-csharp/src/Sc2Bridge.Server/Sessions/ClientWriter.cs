using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// The way out to one client. Its messages come from several tasks, and a connection takes one at a time: a semaphore, which
/// costs neither an allocation nor a change of thread while it is uncontended. Nothing follows the close.
/// </summary>
/// <param name="abort">Ends the connection at once. Never fails.</param>
internal abstract class ClientWriter(Action abort) : IDisposable
{
    private readonly CancellationTokenSource _disposed = new();
    private readonly UnreadWrites _writes = new();
    private readonly SemaphoreSlim _turn = new(1, 1);
    private volatile bool _isClosing;

    /// <summary>True from the first close on.</summary>
    public bool IsClosing => _isClosing;

    /// <summary>Whether nothing may follow; read in turn.</summary>
    protected bool IsClosed { get; private set; }

    /// <summary>
    /// Makes one line of a text: a library's message may quote what the client sent. Escapes it, and replaces lone surrogates,
    /// which cannot be sent.
    /// </summary>
    public static string OneLine(string text) =>
        System.Text.Encoding.UTF8.GetString(System.Text.Encoding.UTF8.GetBytes(PlainText.Escape(text)));

    /// <summary>Cuts the client off if it leaves a message unread for too long after the subscription has ended.</summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">How long that is.</param>
    /// <param name="logger">Logs it.</param>
    /// <param name="ended">The session has ended.</param>
    public Task WatchAsync(Subscription subscription, TimeSpan patience, ILogger logger, CancellationToken ended) =>
        _writes.WatchAsync(subscription, patience, abort, logger, ended);

    /// <inheritdoc/>
    public void Dispose()
    {
        _disposed.Cancel();
        _disposed.Dispose();
        _turn.Dispose();
    }

    /// <summary>Closes this direction. The first reason counts; each call can bring the deadline forward. Never fails.</summary>
    /// <param name="close">Writes the reason, in turn.</param>
    /// <param name="patience">How long, from now, the client has to read that and close too; then it is cut off.</param>
    protected async Task CloseAsync(Func<ValueTask> close, TimeSpan patience)
    {
        _isClosing = true;
        _ = CutAfterAsync(patience, _disposed.Token);
        await BeginWriteAsync();
        try
        {
            if (!IsClosed)
            {
                IsClosed = true;
                await close();
            }
        }
        catch (PeerGoneException)
        {
            abort();
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
            abort();
        }
    }
}
