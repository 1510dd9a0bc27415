using System.Runtime.CompilerServices;
using System.Text;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The way out to one client. Its messages come from several tasks, and a connection takes one at a time: a semaphore, which
/// costs neither an allocation nor a change of thread while it is uncontended. Nothing follows the close.
/// </summary>
/// <param name="abort">Ends the connection at once. Never fails.</param>
internal abstract class ClientWriter(Action abort) : IDisposable
{
    private readonly CancellationTokenSource _disposed = new();
    private readonly SemaphoreSlim _turn = new(1, 1);
    private bool _isClosed;
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

    /// <summary>Writes that have begun.</summary>
    public long Begun => Volatile.Read(ref _begun);

    /// <summary>Writes that are over.</summary>
    public long Done => Volatile.Read(ref _done);

    /// <summary>
    /// Makes one line of a text: a library's message may quote what the client sent. Escapes it, and replaces lone surrogates,
    /// which cannot be sent.
    /// </summary>
    public static string OneLine(string text) => Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(PlainText.Escape(text)));

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

    /// <summary>Writes a message when no other write is under way; after the close it writes nothing.</summary>
    /// <param name="message">What <paramref name="writeAsync"/> needs.</param>
    /// <param name="writeAsync">Writes it. Without a closure, as it is called for every frame.</param>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    protected async ValueTask WriteAsync<T>(T message, Func<T, ValueTask> writeAsync)
    {
        await _turn.WaitAsync();
        Interlocked.Increment(ref _begun);
        try
        {
            if (!_isClosed)
            {
                await writeAsync(message);
            }
        }
        finally
        {
            Interlocked.Increment(ref _done);
            _turn.Release();
        }
    }

    private async Task CloseAsync(PlayResponse? error, string reason, TimeSpan patience)
    {
        _isClosing = true;
        _ = CutAfterAsync(patience, _disposed.Token);
        try
        {
            await WriteAsync(
                (Writer: this, Error: error, Reason: reason),
                static close =>
                {
                    close.Writer._isClosed = true;
                    return close.Writer.WriteCloseAsync(close.Error, close.Reason);
                });
        }
        catch (PeerGoneException)
        {
            abort();
        }
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
