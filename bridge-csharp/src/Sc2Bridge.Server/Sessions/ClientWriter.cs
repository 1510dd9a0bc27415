using System.Text;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The way out to one client. Its messages come from several tasks, and a connection takes one at a time: a semaphore, which
/// costs neither an allocation nor a change of thread while it is uncontended. Nothing follows the close.
/// </summary>
/// <remarks>
/// While the subscription runs, a client may stop reading, and its policy decides what happens. A client that leaves a message unread
/// after its subscription has ended is cut off: one watch for each connection, so that no write needs a timer.
/// </remarks>
/// <param name="abort">Ends the connection at once. Never fails.</param>
internal abstract class ClientWriter(Action abort) : IDisposable
{
    // For a client that held more memory than any other: it gets its reason if it reads at all.
    private static readonly TimeSpan CutOffPatience = TimeSpan.FromSeconds(5);

    private readonly CancellationTokenSource _disposed = new();
    private readonly SemaphoreSlim _turn = new(1, 1);
    private volatile bool _isClosing;
    private volatile bool _isComplete;
    private long _begun;
    private long _done;

    /// <summary>True from the first close on.</summary>
    public bool IsClosing => _isClosing;

    /// <summary>Whether the end of the match was written.</summary>
    public bool IsComplete
    {
        get => _isComplete;
        set => _isComplete = value;
    }

    /// <summary>Whether nothing may follow; read in turn.</summary>
    protected bool IsClosed { get; private set; }

    /// <summary>
    /// Makes one line of a text: a library's message may quote what the client sent. Escapes it, and replaces lone surrogates,
    /// which cannot be sent.
    /// </summary>
    public static string OneLine(string text) => Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(PlainText.Escape(text)));

    /// <summary>How long the client of an ended subscription may leave a message unread.</summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">The usual time. A client that was cut off for memory gets five seconds.</param>
    public static TimeSpan PatienceFor(Subscription subscription, TimeSpan patience) =>
        subscription.IsCutOff && patience > CutOffPatience ? CutOffPatience : patience;

    /// <summary>Waits until the subscription has ended, and then until a write takes too long: then it cuts the client off.</summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">How long one write may take then.</param>
    /// <param name="logger">Logs it.</param>
    /// <param name="ended">The session has ended.</param>
    public async Task WatchAsync(Subscription subscription, TimeSpan patience, ILogger logger, CancellationToken ended)
    {
        try
        {
            await subscription.EndedAsync().WaitAsync(ended);
            var step = patience < CutOffPatience ? patience : CutOffPatience;
            var (begun, unread) = (Volatile.Read(ref _begun), TimeSpan.Zero);
            while (true)
            {
                // In short steps: the subscription may be cut off for memory meanwhile.
                await Task.Delay(step, ended);
                unread += step;
                if (Volatile.Read(ref _done) >= begun)
                {
                    (begun, unread) = (Volatile.Read(ref _begun), TimeSpan.Zero);
                }
                else if (unread >= PatienceFor(subscription, patience))
                {
                    ServerLog.UnreadCut(logger, subscription.Name);
                    abort();
                    return;
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The last write is over.
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _disposed.Cancel();
        _disposed.Dispose();
        _turn.Dispose();
    }

    /// <summary>Closes this direction with a fatal error.</summary>
    /// <param name="error">It.</param>
    /// <param name="patience">How long, from now, the client has to read it and close too; then it is cut off.</param>
    public Task FailAsync(PlayResponse error, TimeSpan patience) => CloseAsync(error, error.Error.Message, patience);

    /// <summary>Closes this direction without an error. The first reason counts; each call can bring the deadline forward. Never fails.</summary>
    /// <param name="reason">Why, in words.</param>
    /// <param name="patience">As above.</param>
    public Task CloseAsync(string reason, TimeSpan patience) => CloseAsync(null, reason, patience);

    /// <summary>Ends the connection at once.</summary>
    public void Abort() => abort();

    /// <summary>Writes that nothing follows.</summary>
    /// <param name="error">The fatal error that ends the session; null: it ends well.</param>
    /// <param name="reason">Why it ends, in words.</param>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    protected abstract ValueTask WriteCloseAsync(PlayResponse? error, string reason);

    /// <summary>Waits until this write is the only one.</summary>
    protected Task BeginWriteAsync()
    {
        var turn = _turn.WaitAsync();
        if (!turn.IsCompletedSuccessfully)
        {
            return BeginAfterAsync(turn);
        }

        Interlocked.Increment(ref _begun);
        return turn;
    }

    /// <summary>Lets the next write begin.</summary>
    protected void EndWrite()
    {
        Interlocked.Increment(ref _done);
        _turn.Release();
    }

    private async Task CloseAsync(PlayResponse? error, string reason, TimeSpan patience)
    {
        _isClosing = true;
        _ = CutAfterAsync(patience, _disposed.Token);
        await BeginWriteAsync();
        try
        {
            if (!IsClosed)
            {
                IsClosed = true;
                await WriteCloseAsync(error, reason);
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

    private async Task BeginAfterAsync(Task turn)
    {
        await turn;
        Interlocked.Increment(ref _begun);
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
