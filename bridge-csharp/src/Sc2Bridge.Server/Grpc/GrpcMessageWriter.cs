using System.Runtime.CompilerServices;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Writes one stream's messages. Frames and answers come from two tasks, and gRPC takes one message at a time: a
/// semaphore, which costs neither an allocation nor a change of thread while it is uncontended.
/// </summary>
/// <param name="stream">Where they go.</param>
/// <param name="http">The call.</param>
/// <param name="subscription">While it has not ended, a stuck reader keeps its connection.</param>
/// <param name="patience">How long one write may take after that.</param>
/// <param name="logger">Logs readers that are cut off.</param>
internal sealed class GrpcMessageWriter(
    IServerStreamWriter<StreamMessage> stream,
    HttpContext http,
    Subscription subscription,
    TimeSpan patience,
    ILogger logger) : IDisposable
{
    // HTTP/2's CANCEL (RFC 9113, section 7).
    private const int ResetCancel = 8;

    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly StreamMessage _message = new();
    private readonly SendBacklog? _backlog = http.Features.Get<SendBacklog>();
    private readonly CountedBody? _body = http.Features.Get<IHttpResponseBodyFeature>() as CountedBody;
    private long _sent;

    /// <summary>Waits until what was written has left this machine; returns at once where that is unknown.</summary>
    public ValueTask ClearAsync(CancellationToken ct) =>
        _backlog is null ? ValueTask.CompletedTask : _backlog.ClearAsync(Volatile.Read(ref _sent), subscription, ct);

    /// <summary>Sends a frame's bytes.</summary>
    /// <remarks>Pooled: this runs for every frame and subscriber.</remarks>
    /// <exception cref="OperationCanceledException">The call is over.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WriteAsync(MessageSegments bytes, CancellationToken stopped)
    {
        await _turn.WaitAsync(stopped);
        try
        {
            await WriteAsync(_message.Of(bytes), stopped);
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Sends anything else.</summary>
    /// <exception cref="OperationCanceledException">The call is over.</exception>
    public async Task WriteAsync(IMessage message, CancellationToken stopped)
    {
        await _turn.WaitAsync(stopped);
        try
        {
            await WriteAsync(_message.Of(message), stopped);
        }
        finally
        {
            _turn.Release();
        }
    }

    public void Dispose() => _turn.Dispose();

    private Task WriteAsync(StreamMessage message, CancellationToken stopped)
    {
        stopped.ThrowIfCancellationRequested();

        // Kestrel takes from the stream's buffer as the client's flow control allows: this message stands behind all
        // bytes handed to the connection, and those still in this stream's buffer. Other streams' bytes may be counted
        // as ours, so this may return early.
        var given = Math.Max(_backlog?.Sent ?? 0, _sent);
        var before = _body?.Bytes ?? 0;
        var writing = stream.WriteAsync(message, CancellationToken.None);
        Volatile.Write(ref _sent, given + (_body?.Bytes ?? 0) - before);
        return writing.IsCompletedSuccessfully ? writing : FinishAsync(writing, stopped);
    }

    // The client leaves bytes unread. While the subscription goes on, its policy says what happens; a call that is over
    // must not keep memory and connection for a client that never reads again.
    private async Task FinishAsync(Task writing, CancellationToken stopped)
    {
        try
        {
            await Task.WhenAny(writing, subscription.EndedAsync()).WaitAsync(stopped);
            await writing.WaitAsync(patience, stopped);
        }
        catch (Exception stuck) when (!writing.IsCompleted)
        {
            if (stuck is TimeoutException)
            {
                ServerLog.ReaderReset(logger, subscription.Name);
            }

            http.Features.Get<IHttpResetFeature>()?.Reset(ResetCancel);
            await writing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw new OperationCanceledException("The client reads no more.", stopped);
        }
    }
}
