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
    private readonly IHttpResetFeature? _reset = http.Features.Get<IHttpResetFeature>();
    private readonly UnreadWrites _writes = new();
    private long _sent;
    private volatile bool _isCut;

    /// <summary>Waits until what was written has left this machine; returns at once where that is unknown.</summary>
    public ValueTask ClearAsync(CancellationToken ct) =>
        _backlog is null ? ValueTask.CompletedTask : _backlog.ClearAsync(Volatile.Read(ref _sent), subscription, ct);

    /// <summary>Sends a frame's bytes.</summary>
    /// <exception cref="OperationCanceledException">The call is over.</exception>
    public ValueTask WriteAsync(MessageSegments bytes, CancellationToken stopped) => WriteAsync(null, bytes, stopped);

    /// <summary>Sends anything else.</summary>
    /// <exception cref="OperationCanceledException">The call is over.</exception>
    public ValueTask WriteAsync(IMessage message, CancellationToken stopped) => WriteAsync(message, default, stopped);

    /// <summary>
    /// Resets the stream of a client that leaves bytes unread when the call is over, or for too long after the
    /// subscription has ended: a call that is over must not keep memory and connection for a client that never reads again.
    /// </summary>
    /// <param name="stopped">The call is over.</param>
    /// <param name="done">Everything was written.</param>
    public async Task WatchAsync(CancellationToken stopped, CancellationToken done)
    {
        await using var stopping = stopped.Register(Cut);
        await _writes.WatchAsync(subscription, patience, Cut, logger, done);
    }

    public void Dispose() => _turn.Dispose();

    private void Cut()
    {
        if (_writes.IsUnderWay)
        {
            _isCut = true;
            _reset?.Reset(ResetCancel);
        }
    }

    // Pooled: this runs for every frame and subscriber.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteAsync(IMessage? message, MessageSegments bytes, CancellationToken stopped)
    {
        await _turn.WaitAsync(stopped);
        _writes.Begin();
        try
        {
            stopped.ThrowIfCancellationRequested();

            // Kestrel takes from the stream's buffer when the client's flow control lets it: this message stands behind all
            // that the connection was given, and what still waits of this stream. Other streams' bytes can pass for ours,
            // which errs by being early.
            var given = Math.Max(_backlog?.Sent ?? 0, _sent);
            var before = _body?.Bytes ?? 0;
            var writing = stream.WriteAsync(message is null ? _message.Of(bytes) : _message.Of(message), CancellationToken.None);
            Volatile.Write(ref _sent, given + (_body?.Bytes ?? 0) - before);
            await writing;
        }
        catch (Exception) when (_isCut)
        {
            throw new OperationCanceledException("The client reads no more.", stopped);
        }
        finally
        {
            _writes.End();
            _turn.Release();
        }

        if (_isCut)
        {
            throw new OperationCanceledException("The client reads no more.", stopped);
        }
    }
}
