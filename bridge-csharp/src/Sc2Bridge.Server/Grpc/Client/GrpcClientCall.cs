using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using System.Net.Http.Headers;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>One call: messages up, messages down, a status at the end.</summary>
/// <remarks>One writer and one reader at a time; both may run at once.</remarks>
public sealed class GrpcClientCall : IDisposable
{
    // The largest real observation has 737 KB; GameData and GameInfo together have less.
    private const int LongestMessage = 64 << 20;

    private readonly MessageContent _content;
    private readonly Task<HttpResponseMessage> _response;
    private readonly CancellationTokenSource _ending;
    private PipeReader? _body;

    internal GrpcClientCall(MessageContent content, Task<HttpResponseMessage> response, CancellationTokenSource ending)
    {
        _content = content;
        _response = response;
        _ending = ending;
        _ = response.ContinueWith(
            failed => content.Abandon(failed.Exception?.InnerException ?? new OperationCanceledException()),
            CancellationToken.None,
            TaskContinuationOptions.NotOnRanToCompletion | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>The response, once its headers are there.</summary>
    public Task<HttpResponseMessage> Response => _response;

    /// <summary>Bytes of the messages read so far, as they travelled, with their prefixes.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Sends a message.</summary>
    public async Task WriteAsync(IMessage message)
    {
        var buffer = GrpcFraming.Write(message);
        try
        {
            await WriteRawAsync(buffer.Written);
        }
        finally
        {
            buffer.Release();
        }
    }

    /// <summary>Sends bytes as they are, prefix and all.</summary>
    public async Task WriteRawAsync(ReadOnlyMemory<byte> bytes)
    {
        var stream = await _content.Stream;
        await stream.WriteAsync(bytes, _ending.Token);
        await stream.FlushAsync(_ending.Token);
    }

    /// <summary>Says that no more messages follow from here.</summary>
    public void Complete() => _content.Complete();

    /// <summary>Gives the call up.</summary>
    public void Cancel()
    {
        _ending.Cancel();
        if (_response.IsCompletedSuccessfully)
        {
            // Once the headers are there HttpClient resets the stream when the response is let go of.
            _response.Result.Dispose();
        }
    }

    /// <summary>Reads the next message.</summary>
    /// <returns>Null where the call ended with OK.</returns>
    /// <exception cref="GrpcException">The call ended with another status, or what came is not gRPC.</exception>
    public async Task<T?> ReadAsync<T>(MessageParser<T> parser)
        where T : class, IMessage<T>
    {
        T? parsed = null;
        return await ReadAsync(message => parsed = parser.ParseFrom(message)) ? parsed : null;
    }

    /// <summary>Reads the next message's bytes, decompressed.</summary>
    /// <param name="take">Gets them; they live as long as it runs.</param>
    /// <returns>False where the call ended with OK.</returns>
    /// <exception cref="GrpcException">The call ended with another status, or what came is not gRPC.</exception>
    public async Task<bool> ReadAsync(Action<ReadOnlySequence<byte>> take)
    {
        ArgumentNullException.ThrowIfNull(take);
        try
        {
            var body = await BodyAsync();
            while (true)
            {
                var result = await body.ReadAsync(_ending.Token);
                var arrived = result.Buffer;
                if (GrpcFraming.TryRead(ref arrived, LongestMessage, out var compressed, out var message))
                {
                    BytesRead += GrpcFraming.PrefixLength + message.Length;
                    Take(message, compressed, take);
                    body.AdvanceTo(arrived.Start);
                    return true;
                }

                var left = arrived.Length;
                body.AdvanceTo(arrived.Start, arrived.End);
                if (result.IsCompleted)
                {
                    var response = await _response;
                    ThrowUnlessOk(Status(response.TrailingHeaders) ?? Status(response.Headers));
                    return left == 0
                        ? false
                        : throw new GrpcException(GrpcCode.Internal, "The response ends in the middle of a message.");
                }
            }
        }
        catch (HttpRequestException problem)
        {
            throw new GrpcException(GrpcCode.Unavailable, problem.InnerException?.Message ?? problem.Message);
        }
        catch (IOException problem)
        {
            throw new GrpcException(GrpcCode.Unavailable, problem.InnerException?.Message ?? problem.Message);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Cancel();
        _content.Complete();
        _ending.Dispose();
    }

    private static void Take(ReadOnlySequence<byte> message, bool compressed, Action<ReadOnlySequence<byte>> take)
    {
        if (!compressed)
        {
            take(message);
            return;
        }

        var plain = GrpcGzip.Decompress(message, LongestMessage);
        try
        {
            take(new ReadOnlySequence<byte>(plain.Written));
        }
        finally
        {
            plain.Release();
        }
    }

    private static (GrpcCode Code, string Message)? Status(HttpResponseHeaders headers)
    {
        if (!headers.TryGetValues(GrpcHeaders.Status, out var values))
        {
            return null;
        }

        var known = int.TryParse(values.First(), NumberStyles.None, CultureInfo.InvariantCulture, out var code);
        var text = headers.TryGetValues(GrpcHeaders.Message, out var messages) ? messages.First() : "";
        return (known && Enum.IsDefined((GrpcCode)code) ? (GrpcCode)code : GrpcCode.Unknown, GrpcStatusText.Decode(text));
    }

    private static void ThrowUnlessOk((GrpcCode Code, string Message)? status)
    {
        if (status is not { } found)
        {
            throw new GrpcException(GrpcCode.Internal, "The call ended without a status.");
        }

        if (found.Code != GrpcCode.Ok)
        {
            throw new GrpcException(found.Code, found.Message);
        }
    }

    private async ValueTask<PipeReader> BodyAsync()
    {
        if (_body is null)
        {
            var response = await _response;
            if (response.StatusCode != HttpStatusCode.OK)
            {
                throw new GrpcException(GrpcCode.Unknown, $"The server answered with HTTP status {(int)response.StatusCode}.");
            }

            _body = PipeReader.Create(
                await response.Content.ReadAsStreamAsync(_ending.Token), new StreamPipeReaderOptions(bufferSize: 64 << 10));
        }

        return _body;
    }
}
