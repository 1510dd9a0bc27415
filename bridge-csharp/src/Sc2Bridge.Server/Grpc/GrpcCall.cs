using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>One call on Kestrel's HTTP/2: reads and writes messages, ends with a status.</summary>
/// <remarks>One reader and any number of writers at a time; writes take turns.</remarks>
internal sealed class GrpcCall : IDisposable
{
    // HTTP/2's CANCEL (RFC 9113, section 7).
    private const int ResetCancel = 8;

    private readonly HttpContext _http;
    private readonly PipeReader _reader;
    private readonly PipeWriter _writer;
    private readonly CancellationToken _stopping;
    private readonly CancellationTokenSource _ended;
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly SendBacklog? _link;
    private long _sent;
    private GrpcException? _failure;
    private bool _readsGzip;
    private bool _stuck;

    public GrpcCall(HttpContext http, CancellationToken stopping)
    {
        _http = http;
        _reader = http.Request.BodyReader;
        _writer = http.Response.BodyWriter;
        _link = http.Features.Get<SendBacklog>();
        _stopping = stopping;
        _ended = CancellationTokenSource.CreateLinkedTokenSource(http.RequestAborted, stopping);
        http.Response.ContentType = GrpcHeaders.ContentType;
        http.Response.Headers[GrpcHeaders.AcceptEncoding] = GrpcHeaders.Encodings;
    }

    /// <summary>Cancelled when the client has gone or cancelled, its deadline passed or the server stops.</summary>
    public CancellationToken Token => _ended.Token;

    /// <summary>Whether the client asked for gzip.</summary>
    public bool SendsGzip { get; private set; }

    /// <summary>All calls of its connection.</summary>
    /// <param name="hub">What they are about.</param>
    public ConnectionLimiter OfConnection(Hub hub) => ConnectionLimiter.Of(_http, hub);

    /// <summary>Takes the request's headers in.</summary>
    /// <exception cref="GrpcException">They ask for what cannot be.</exception>
    public void Open()
    {
        var headers = _http.Request.Headers;
        if (!GrpcHeaders.Lists(headers.TE, "trailers"))
        {
            throw new GrpcException(
                GrpcCode.Internal, "The header 'te: trailers' is missing: a proxy on the way does not pass trailers on.");
        }

        if (headers[GrpcHeaders.Timeout].ToString() is { Length: > 0 } timeout)
        {
            _ended.CancelAfter(GrpcTimeout.Parse(timeout));
        }

        var encoding = headers[GrpcHeaders.Encoding].ToString();
        _readsGzip = encoding == GrpcGzip.Name;
        if (!_readsGzip && encoding is not ("" or "identity"))
        {
            throw new GrpcException(
                GrpcCode.Unimplemented, $"grpc-encoding '{encoding}' is not read here: send one of {GrpcHeaders.Encodings}.");
        }

        switch (headers[GrpcHeaders.Compression].ToString())
        {
            case "" or "identity":
                break;
            case GrpcGzip.Name when GrpcHeaders.Lists(headers[GrpcHeaders.AcceptEncoding], GrpcGzip.Name):
                SendsGzip = true;
                _http.Response.Headers[GrpcHeaders.Encoding] = GrpcGzip.Name;
                break;
            case GrpcGzip.Name:
                throw new GrpcException(
                    GrpcCode.InvalidArgument,
                    $"{GrpcHeaders.Compression} asks for gzip, and grpc-accept-encoding does not list it.");
            case var other:
                throw new GrpcException(
                    GrpcCode.Unimplemented, $"{GrpcHeaders.Compression} '{other}': choose one of {GrpcHeaders.Encodings}.");
        }
    }

    /// <summary>Sends the headers now, so that the client knows that its call has begun.</summary>
    public async Task StartAsync() => await _writer.FlushAsync(Token);

    /// <summary>Reads the client's next message.</summary>
    /// <returns>Null where the client has sent its last, or <see cref="StopReading"/> was called.</returns>
    /// <exception cref="GrpcException">What came is not a message of this kind, or too long.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<T?> ReadAsync<T>(MessageParser<T> parser)
        where T : class, IMessage<T>
    {
        while (true)
        {
            var result = await _reader.ReadAsync(Token);
            if (result.IsCanceled)
            {
                return null;
            }

            var arrived = result.Buffer;
            if (GrpcFraming.TryRead(ref arrived, GrpcFraming.LongestMessage, out var compressed, out var message))
            {
                var parsed = Parse(parser, message, compressed);
                _reader.AdvanceTo(arrived.Start);
                return parsed;
            }

            var left = arrived.Length;
            _reader.AdvanceTo(arrived.Start, arrived.End);
            if (result.IsCompleted)
            {
                return left == 0
                    ? null
                    : throw new GrpcException(GrpcCode.Internal, "The request ends in the middle of a message.");
            }
        }
    }

    /// <summary>Reads the one message of a call that has one.</summary>
    /// <exception cref="GrpcException">There is none, more than one, or not one of this kind.</exception>
    public async Task<T> ReadOnlyAsync<T>(MessageParser<T> parser)
        where T : class, IMessage<T>
    {
        var message = await ReadAsync(parser);
        if (message is null || await ReadAsync(parser) is not null)
        {
            throw new GrpcException(GrpcCode.Unimplemented, "This call takes exactly one message.");
        }

        return message;
    }

    /// <summary>Waits until what was written has left this machine; at once where it cannot be told.</summary>
    public ValueTask ClearAsync() =>
        _link is null ? ValueTask.CompletedTask : _link.ClearAsync(Volatile.Read(ref _sent), Token);

    /// <summary>Makes a pending read, or the next one, return null.</summary>
    public void StopReading() => _reader.CancelPendingRead();

    /// <summary>Sends a message that has its prefix already.</summary>
    /// <remarks>Pooled: this runs for every frame and subscriber.</remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> framed)
    {
        await _turn.WaitAsync(Token);
        try
        {
            Token.ThrowIfCancellationRequested();
            _stuck = true;

            // Kestrel takes from the stream's buffer when the client's flow control lets it: this stands behind all that
            // the connection was given, and what still waits of this stream. Other streams' bytes can pass for ours,
            // which errs by being early.
            var given = _link?.Sent ?? 0;
            Volatile.Write(ref _sent, Math.Max(given, _sent) + framed.Length);
            var result = await _writer.WriteAsync(framed, Token);
            _stuck = false;
            if (result.IsCompleted)
            {
                throw new OperationCanceledException("The client has gone.");
            }
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Sends a message.</summary>
    public async Task WriteAsync(IMessage message)
    {
        var buffer = SendsGzip ? GrpcGzip.Compress(message.ToByteArray()) : GrpcFraming.Write(message);
        try
        {
            await WriteAsync(buffer.Written);
        }
        finally
        {
            buffer.Release();
        }
    }

    /// <summary>Ends the call from beside whoever serves it.</summary>
    public void Fail(GrpcException failure)
    {
        Interlocked.CompareExchange(ref _failure, failure, null);
        _ended.Cancel();
    }

    /// <summary>Why <see cref="Token"/> was cancelled.</summary>
    public GrpcException Ending() =>
        _failure
        ?? (_http.RequestAborted.IsCancellationRequested
            ? new GrpcException(GrpcCode.Cancelled, "The client has gone.")
            : _stopping.IsCancellationRequested
                ? new GrpcException(GrpcCode.Unavailable, "The bridge is shutting down.")
                : new GrpcException(GrpcCode.DeadlineExceeded, "The deadline has passed."));

    /// <summary>
    /// Ends the call with a status: in the headers where nothing was sent yet, else in trailers.
    /// </summary>
    public void Finish(GrpcCode code, string message)
    {
        if (_http.RequestAborted.IsCancellationRequested)
        {
            return;
        }

        if (_stuck && _failure is null)
        {
            // Past its deadline, or at the server's end: trailers would wait behind bytes that the client does not read.
            _http.Features.Get<IHttpResetFeature>()?.Reset(ResetCancel);
            return;
        }

        var status = ((int)code).ToString(System.Globalization.CultureInfo.InvariantCulture);
        var text = GrpcStatusText.Encode(message);
        if (_http.Response.HasStarted)
        {
            _http.Response.AppendTrailer(GrpcHeaders.Status, status);
            if (text.Length > 0)
            {
                _http.Response.AppendTrailer(GrpcHeaders.Message, text);
            }

            return;
        }

        _http.Response.Headers.Remove(GrpcHeaders.Encoding);
        _http.Response.Headers[GrpcHeaders.Status] = status;
        if (text.Length > 0)
        {
            _http.Response.Headers[GrpcHeaders.Message] = text;
        }
    }

    public void Dispose()
    {
        _ended.Dispose();
        _turn.Dispose();
    }

    private T Parse<T>(MessageParser<T> parser, ReadOnlySequence<byte> message, bool compressed)
        where T : class, IMessage<T>
    {
        MessageBuffer? plain = null;
        try
        {
            if (compressed)
            {
                plain = _readsGzip
                    ? GrpcGzip.Decompress(message, GrpcFraming.LongestMessage)
                    : throw new GrpcException(
                        GrpcCode.Internal, "A message is marked as compressed, and grpc-encoding names no compression.");
                message = new ReadOnlySequence<byte>(plain.Written);
            }

            return parser.ParseFrom(message);
        }
        catch (InvalidProtocolBufferException problem)
        {
            throw new GrpcException(GrpcCode.Internal, $"A message cannot be parsed: {problem.Message}");
        }
        finally
        {
            plain?.Release();
        }
    }
}
