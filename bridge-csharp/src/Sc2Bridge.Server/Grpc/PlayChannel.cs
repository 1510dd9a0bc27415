using System.Buffers;
using System.Runtime.CompilerServices;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>The protocol's messages on one call of <c>Play</c>.</summary>
/// <param name="messages">The client's.</param>
/// <param name="stream">Where the bridge's go.</param>
/// <param name="context">The call.</param>
internal sealed class PlayChannel(
    IAsyncStreamReader<PlayRequest> messages, IServerStreamWriter<StreamMessage> stream, ServerCallContext context)
    : IMessageChannel, IDisposable
{
    /// <summary>HTTP/2's CANCEL (RFC 9113, section 7).</summary>
    public const int ResetCancel = 8;

    // Kestrel ends the stream of a client that has gone before it cancels the call: the longest time between the two, on a busy
    // machine.
    private static readonly TimeSpan _cancellation = TimeSpan.FromSeconds(1);
    private static readonly WriteOptions _uncompressed = new(WriteFlags.NoCompress);

    private readonly CancellationTokenSource _over = new();
    private readonly StreamMessage _message = new();
    private readonly SendBacklog? _backlog = context.GetHttpContext().Features.Get<SendBacklog>();
    private readonly CountedBody? _body = context.GetHttpContext().Features.Get<IHttpResponseBodyFeature>() as CountedBody;
    private readonly IHttpResetFeature? _reset = context.GetHttpContext().Features.Get<IHttpResetFeature>();
    private long _sent;
    private volatile bool _isAborted;

    public string Transport => "grpc";

    public MessageForm Form => MessageForm.Proto;

    public bool Compresses { get; } = GrpcCompression.IsOn(context);

    public bool IsCall => true;

    public bool ClosesWithError => true;

    /// <summary>What the call ends with.</summary>
    public Status Status { get; private set; } = Status.DefaultSuccess;

    private bool IsGone => _isAborted || context.CancellationToken.IsCancellationRequested;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayHold)
    {
        try
        {
            return await messages.MoveNext(_over.Token) ? messages.Current : null;
        }
        catch (OperationCanceledException gone)
        {
            return IsGone ? throw new PeerGoneException(gone) : null;
        }
        catch (RpcException refused)
        {
            throw IsGone ? new PeerGoneException(refused)
                : new RequestRefusedException((uint)refused.StatusCode, refused.Status.Detail);
        }
        catch (Exception unreadable) when (unreadable is IOException or InvalidDataException)
        {
            if (unreadable is IOException && !IsGone)
            {
                await Task.Delay(_cancellation, context.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            // A message that is framed or compressed wrongly is its sender's fault.
            throw IsGone ? new PeerGoneException(unreadable)
                : new RequestRefusedException(Streaming.StatusCode.Internal, $"The message cannot be read: {unreadable.Message}");
        }
    }

    // Pooled: this runs for every frame and subscriber.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WriteAsync(MessageSegments message, bool isCompressed)
    {
        if (Compresses)
        {
            stream.WriteOptions = isCompressed ? _uncompressed : null;
        }

        _message.Bytes = message;
        try
        {
            // Kestrel takes from the stream's buffer when the client's flow control lets it: this message stands behind all
            // that the connection was given, and what still waits of this stream. Other streams' bytes can pass for ours,
            // which errs by being early.
            var given = Math.Max(_backlog?.Sent ?? 0, _sent);
            var before = _body?.Bytes ?? 0;
            var writing = stream.WriteAsync(_message, CancellationToken.None);
            Volatile.Write(ref _sent, given + (_body?.Bytes ?? 0) - before);
            await writing;
        }
        catch (Exception gone) when (IsGone || gone is OperationCanceledException or IOException)
        {
            throw new PeerGoneException(gone);
        }

        if (_isAborted)
        {
            throw new PeerGoneException();
        }
    }

    public ValueTask ClearAsync(Subscription subscription, CancellationToken ct) =>
        _backlog is null ? ValueTask.CompletedTask : _backlog.ClearAsync(Volatile.Read(ref _sent), subscription, ct);

    public ValueTask CloseAsync(uint? code, string reason)
    {
        Status = code is { } error ? new Status((Grpc.Core.StatusCode)error, reason) : Status.DefaultSuccess;
        _ = _over.CancelAsync();
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// Resets the stream: a call that is over must not keep memory and connection for a client that never reads again.
    /// </summary>
    public void Abort()
    {
        _isAborted = true;
        _reset?.Reset(ResetCancel);
        _ = _over.CancelAsync();
    }

    public void Dispose() => _over.Dispose();
}

/// <summary>
/// The next message of a stream, whose bytes are serialized already and only copied. A stream has one object for all its messages, so
/// that no object is allocated for a frame.
/// </summary>
internal sealed class StreamMessage
{
    /// <summary>The bytes, which are read until the write returns its task.</summary>
    public MessageSegments Bytes { get; set; }

    public static void Serialize(StreamMessage message, SerializationContext context)
    {
        context.SetPayloadLength(message.Bytes.Length);
        var writer = context.GetBufferWriter();
        writer.Write(message.Bytes.Head.Span);
        writer.Write(message.Bytes.Body.Span);
        context.Complete();
    }
}
