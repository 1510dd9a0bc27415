using System.Buffers;
using System.Net.Sockets;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.V1;

namespace Sc2Bridge.Measuring;

/// <summary>A subscription over gRPC on a connection of its own; its events are handed on as bytes, unparsed.</summary>
public sealed class GrpcEvents : IDisposable
{
    private const string UnixScheme = "unix:";

    private readonly GrpcChannel _channel;
    private readonly AsyncServerStreamingCall<GrpcEvents> _call;

    /// <summary>Subscribes.</summary>
    /// <param name="address"><c>host:port</c> or <c>unix:/path</c>.</param>
    /// <param name="request">To what.</param>
    /// <param name="take">Gets each event's bytes; they live as long as it runs.</param>
    /// <param name="ct">Ends the call.</param>
    public GrpcEvents(
        string address, SubscribeRequest request, Action<ReadOnlySequence<byte>> take, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(address);
        var subscribe = new Method<SubscribeRequest, GrpcEvents>(
            MethodType.ServerStreaming, Bridge.Descriptor.FullName, "Subscribe",
            Marshallers.Create(asked => asked.ToByteArray(), SubscribeRequest.Parser.ParseFrom),
            new Marshaller<GrpcEvents>(
                (_, _) => throw new NotSupportedException("Only read."),
                context =>
                {
                    take(context.PayloadAsReadOnlySequence());
                    return this;
                }));
        _channel = Connect(address);
        _call = _channel.CreateCallInvoker().AsyncServerStreamingCall(
            subscribe, null, new CallOptions(cancellationToken: ct), request);
    }

    /// <summary>Waits for the next event and hands it on.</summary>
    /// <returns>False where the subscription has ended.</returns>
    /// <exception cref="RpcException">It ended with an error.</exception>
    public Task<bool> NextAsync(CancellationToken ct) => _call.ResponseStream.MoveNext(ct);

    /// <inheritdoc/>
    public void Dispose()
    {
        _call.Dispose();
        _channel.Dispose();
    }

    private static GrpcChannel Connect(string address)
    {
        var handler = new SocketsHttpHandler { InitialHttp2StreamWindowSize = 4 << 20, UseProxy = false };
        var isUnix = address.StartsWith(UnixScheme, StringComparison.Ordinal);
        if (isUnix)
        {
            handler.ConnectCallback = async (_, ct) =>
            {
                var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(address[UnixScheme.Length..]), ct);
                return new NetworkStream(socket, ownsSocket: true);
            };
        }

        return GrpcChannel.ForAddress(
            isUnix ? "http://localhost" : $"http://{address}",
            new GrpcChannelOptions { HttpHandler = handler, DisposeHttpClient = true, MaxReceiveMessageSize = null });
    }
}
