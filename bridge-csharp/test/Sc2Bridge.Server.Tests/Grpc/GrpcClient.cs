using System.Net.Sockets;
using Grpc.Core;
using Grpc.Net.Client;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>The official .NET client on its own connection. It counts the received bytes.</summary>
internal sealed class GrpcClient : BridgeService.BridgeServiceClient, IDisposable
{
    private static readonly Method<PlayRequest, byte[]> _playBytes = new(
        MethodType.DuplexStreaming, "sc2bridge.v1.BridgeService", "Play",
        Marshallers.Create(request => request.ToByteArray(), PlayRequest.Parser.ParseFrom),
        Marshallers.Create(bytes => bytes, bytes => bytes));

    private readonly GrpcChannel _channel;
    private readonly Counter _counter;

    /// <param name="address"><c>host:port</c> or <c>unix:/path</c>.</param>
    public GrpcClient(string address)
        : this(address, new Counter())
    {
    }

    private GrpcClient(string address, Counter counter)
        : this(Connect(address, counter), counter)
    {
    }

    private GrpcClient(GrpcChannel channel, Counter counter)
        : base(channel)
    {
        _channel = channel;
        _counter = counter;
    }

    /// <summary>Headers that request gzip.</summary>
    public static Metadata Gzip => new() { { "sc2bridge-compression", "gzip" } };

    /// <summary>The number of bytes that the connection received.</summary>
    public long BytesReceived => Interlocked.Read(ref _counter.Bytes);

    /// <summary>A subscription with unparsed events.</summary>
    public AsyncServerStreamingCall<byte[]> SubscribeBytes(SubscribeRequest request, Metadata? headers = null) =>
        CallInvoker.AsyncDuplexStreamingCall(_playBytes, null, new CallOptions(headers, cancellationToken: Ct))
            .Watching(request);

    public void Dispose() => _channel.Dispose();

    private static GrpcChannel Connect(string address, Counter counter)
    {
        var endPoint = BridgeAddress.Parse(address).EndPoint;
        return GrpcChannel.ForAddress(
            address.StartsWith("unix:", StringComparison.Ordinal) ? "http://localhost" : $"http://{address}",
            new GrpcChannelOptions
            {
                MaxReceiveMessageSize = null,
                DisposeHttpClient = true,
                HttpHandler = new SocketsHttpHandler
                {
                    UseProxy = false,
                    ConnectCallback = async (_, ct) =>
                    {
                        var socket = endPoint is UnixDomainSocketEndPoint
                            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
                            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                        await socket.ConnectAsync(endPoint, ct);
                        return new CountedStream(socket, counter);
                    },
                },
            });
    }

    private sealed class Counter
    {
        public long Bytes;
    }

    private sealed class CountedStream(Socket socket, Counter counter) : NetworkStream(socket, ownsSocket: true)
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var read = await base.ReadAsync(buffer, cancellationToken);
            Interlocked.Add(ref counter.Bytes, read);
            return read;
        }
    }
}

/// <summary>Common operations on calls.</summary>
internal static class Calls
{
    /// <summary>The next message after the answer to <c>subscribe</c>; null if the call ended with OK.</summary>
    public static async Task<T?> NextAsync<T>(this IAsyncStreamReader<T> stream)
        where T : class
    {
        while (await stream.MoveNext(CancellationToken.None))
        {
            if (stream.Current is not PlayResponse { Subscribe: not null })
            {
                return stream.Current;
            }
        }

        return null;
    }

    public static Task SendAsync<T>(this IClientStreamWriter<T> stream, T message) =>
        stream.WriteAsync(message, Ct);

    /// <summary>Reads to the end of a call, and expects this status.</summary>
    public static async Task<RpcException> EndsWithAsync<T>(this IAsyncStreamReader<T> stream, StatusCode code)
        where T : class
    {
        var ended = await Assert.ThrowsAsync<RpcException>(async () =>
        {
            while (await stream.NextAsync() is not null)
            {
            }
        });
        Assert.Equal(code, ended.StatusCode);
        return ended;
    }

    /// <summary>Expects that a unary call is refused.</summary>
    public static async Task<RpcException> RefusedAsync<T>(this AsyncUnaryCall<T> call, StatusCode code)
    {
        var refused = await Assert.ThrowsAsync<RpcException>(async () => await call);
        Assert.Equal(code, refused.StatusCode);
        return refused;
    }
}
