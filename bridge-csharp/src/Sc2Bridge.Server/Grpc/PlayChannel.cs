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
/// <param name="messages">The client's messages.</param>
/// <param name="stream">The bridge's messages.</param>
/// <param name="context">The call.</param>
internal sealed class PlayChannel(
    IAsyncStreamReader<PlayRequest> messages, IServerStreamWriter<StreamMessage> stream, ServerCallContext context)
    : IMessageChannel, IDisposable
{
    /// <summary>HTTP/2's CANCEL (RFC 9113, section 7).</summary>
    public const int ResetCancel = 8;

    // When a client disconnects, Kestrel ends the client's stream before it cancels the call. This is the longest time
    // between these two events on a busy machine.
    private static readonly TimeSpan _cancellationDelay = TimeSpan.FromSeconds(1);
    private static readonly WriteOptions _uncompressed = new(WriteFlags.NoCompress);

    private readonly CancellationTokenSource _ended = new();
    private readonly StreamMessage _message = new();
    private readonly SendBacklog? _backlog = context.GetHttpContext().Features.Get<SendBacklog>();
    private readonly CountedBody? _body = context.GetHttpContext().Features.Get<IHttpResponseBodyFeature>() as CountedBody;
    private readonly IHttpResetFeature? _reset = context.GetHttpContext().Features.Get<IHttpResetFeature>();
    private long _lastMessageEnd;
    private volatile bool _isAborted;

    public string Transport => "grpc";

    public MessageForm Form => MessageForm.Proto;

    public bool Compresses { get; } = GrpcCompression.IsOn(context);

    public bool IsCall => true;

    public bool ClosesWithError => true;

    /// <summary>The status that the call ends with.</summary>
    public Status Status { get; private set; } = Status.DefaultSuccess;

    private bool IsGone => _isAborted || context.CancellationToken.IsCancellationRequested;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayBuffer)
    {
        try
        {
            return await messages.MoveNext(_ended.Token) ? messages.Current : null;
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
                await Task.Delay(_cancellationDelay, context.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            // Invalid framing or compression of a message is the client's error.
            throw IsGone ? new PeerGoneException(unreadable)
                : new RequestRefusedException(Streaming.StatusCode.Internal, $"The message cannot be read: {unreadable.Message}");
        }
    }

    // Uses pooled objects, because this method runs for every frame and subscriber.
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
            // Kestrel takes bytes from the stream's buffer when the client's flow control allows it. So this message
            // comes after all bytes written to the connection so far, and after this stream's buffered bytes. Bytes of
            // other streams may be counted as bytes of this stream. Then WaitUntilSentAsync returns too early.
            var writtenBefore = Math.Max(_backlog?.WrittenBytes ?? 0, _lastMessageEnd);
            var bodyBefore = _body?.WrittenBytes ?? 0;
            var writing = stream.WriteAsync(_message, CancellationToken.None);
            Volatile.Write(ref _lastMessageEnd, writtenBefore + (_body?.WrittenBytes ?? 0) - bodyBefore);
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

    public ValueTask WaitUntilSentAsync(Subscription subscription, CancellationToken ct) =>
        _backlog is null ? ValueTask.CompletedTask : _backlog.WaitUntilSentAsync(Volatile.Read(ref _lastMessageEnd), subscription, ct);

    public ValueTask CloseAsync(uint? code, string reason)
    {
        Status = code is { } error ? new Status((Grpc.Core.StatusCode)error, reason) : Status.DefaultSuccess;
        _ = _ended.CancelAsync();
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// Resets the stream, because a call that has ended must not keep memory and a connection for a client that never reads
    /// again.
    /// </summary>
    public void Abort()
    {
        _isAborted = true;
        _reset?.Reset(ResetCancel);
        _ = _ended.CancelAsync();
    }

    public void Dispose() => _ended.Dispose();
}

/// <summary>
/// The next message of a stream. The message is already serialized, so its bytes are only copied. A stream reuses one
/// object for all its messages, to avoid an allocation per frame.
/// </summary>
internal sealed class StreamMessage
{
    /// <summary>The bytes of the message. The stream reads them before <c>WriteAsync</c> returns its task.</summary>
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
