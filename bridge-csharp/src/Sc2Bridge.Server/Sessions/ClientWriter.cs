using System.Runtime.CompilerServices;
using System.Text;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The output to one client. Several tasks send messages, but a connection accepts one message at a time. So a semaphore serializes
/// the writes. Without contention, the semaphore costs no allocation and no thread switch. Nothing is written after the close.
/// </summary>
/// <param name="abort">Aborts the connection. Never fails.</param>
internal abstract class ClientWriter(Action abort) : IDisposable
{
    private readonly CancellationTokenSource _disposed = new();
    private readonly SemaphoreSlim _writeLock = new(1, 1);
    private bool _isClosed;
    private volatile bool _isClosing;
    private volatile bool _matchEndWritten;
    private long _writesBegun;
    private long _writesDone;

    /// <summary>Whether a close has started.</summary>
    public bool IsClosing => _isClosing;

    /// <summary>Whether the end of the match was written.</summary>
    public bool IsMatchEndWritten
    {
        get => _matchEndWritten;
        set => _matchEndWritten = value;
    }

    /// <summary>The number of writes that have started.</summary>
    public long WritesBegun => Volatile.Read(ref _writesBegun);

    /// <summary>The number of writes that have ended.</summary>
    public long WritesDone => Volatile.Read(ref _writesDone);

    /// <summary>
    /// Converts a text to one line: escapes control characters, and replaces lone surrogates, which cannot be sent. An error
    /// message needs this, because a library's message may quote text of the client.
    /// </summary>
    public static string ToOneLine(string text) => Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(PlainText.Escape(text)));

    /// <inheritdoc/>
    public void Dispose()
    {
        _disposed.Cancel();
        _disposed.Dispose();
        _writeLock.Dispose();
    }

    /// <summary>Closes the bridge's direction with a fatal error.</summary>
    /// <param name="error">The error.</param>
    /// <param name="patience">How long, from now, the client may take to read the error and close too. After this time the connection is aborted.</param>
    public Task FailAsync(PlayResponse error, TimeSpan patience) => CloseAsync(error, error.Error.Message, patience);

    /// <summary>
    /// Closes the bridge's direction without an error. If several calls close it, only the first reason is sent, and
    /// the earliest deadline applies. Never fails.
    /// </summary>
    /// <param name="reason">The reason in words.</param>
    /// <param name="patience">How long, from now, the client may take to close too. After this time the connection is aborted.</param>
    public Task CloseAsync(string reason, TimeSpan patience) => CloseAsync(null, reason, patience);

    public void Abort() => abort();

    /// <summary>Writes the close. Nothing is written after it.</summary>
    /// <param name="error">The fatal error that ends the session; null if it ends normally.</param>
    /// <param name="reason">The reason in words.</param>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    protected abstract ValueTask WriteCloseAsync(PlayResponse? error, string reason);

    /// <summary>Waits until no other write is in progress, and then writes a message. After the close it writes nothing.</summary>
    /// <param name="message">The argument of <paramref name="writeAsync"/>.</param>
    /// <param name="writeAsync">Writes the message. It must not be a closure, because it is called for every frame.</param>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    protected async ValueTask WriteAsync<T>(T message, Func<T, ValueTask> writeAsync)
    {
        await _writeLock.WaitAsync();
        Interlocked.Increment(ref _writesBegun);
        try
        {
            if (!_isClosed)
            {
                await writeAsync(message);
            }
        }
        finally
        {
            Interlocked.Increment(ref _writesDone);
            _writeLock.Release();
        }
    }

    private async Task CloseAsync(PlayResponse? error, string reason, TimeSpan patience)
    {
        _isClosing = true;
        _ = AbortAfterAsync(patience, _disposed.Token);
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

    // Uses a task instead of a timer's callback, because an exception in a callback would end the process.
    private async Task AbortAfterAsync(TimeSpan patience, CancellationToken disposed)
    {
        await Task.Delay(patience, disposed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!disposed.IsCancellationRequested)
        {
            abort();
        }
    }
}
