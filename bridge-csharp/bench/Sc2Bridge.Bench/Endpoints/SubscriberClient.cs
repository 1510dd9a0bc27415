using System.Buffers;
using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>A subscriber in C#, over any transport: it gets each message's bytes and parses none.</summary>
internal static class SubscriberClient
{
    /// <summary>The prefix of a gRPC message: a byte, and the length in four.</summary>
    public const int PrefixLength = 5;

    private const int LongestMessage = 16 << 20;

    /// <summary>Subscribes, and takes messages until it has enough; of shared memory, the envelopes alone.</summary>
    public static async Task RunAsync(
        string url, bool isText, SubscribeRequest request, Func<ReadOnlySequence<byte>, bool> take, CancellationToken ct)
    {
        var isSubscribed = false;
        try
        {
            await (url.Split(':')[0] switch
            {
                "grpc" => GrpcAsync(url["grpc://".Length..], request, TakeNext, ct),
                "raw" => RawAsync(url["raw://".Length..], take, ct),
                "shm" => MemoryAsync(url, request, TakeNext, ct),
                _ => WebSocketAsync(url, isText, request, TakeNext, ct),
            });
        }
        catch (Exception problem) when (problem is RpcException or IOException or SocketException or WebSocketException
            && !ct.IsCancellationRequested)
        {
            throw new CommandException(problem is RpcException rpc ? rpc.Status.Detail : problem.Message, problem);
        }

        // The first message answers the subscription.
        bool TakeNext(ReadOnlySequence<byte> message) => isSubscribed ? take(message) : isSubscribed = true;
    }

    private static async Task GrpcAsync(
        string address, SubscribeRequest request, Func<ReadOnlySequence<byte>, bool> take, CancellationToken ct)
    {
        // A message is taken where the library has its bytes: there is no copy, and nothing is parsed.
        var more = true;
        var messages = Marshallers.Create<object>(
            static (_, _) => { },
            context =>
            {
                more = take(context.PayloadAsReadOnlySequence());
                return context;
            });
        var requests = Marshallers.Create(static message => message.ToByteArray(), PlayRequest.Parser.ParseFrom);
        var play = new Method<PlayRequest, object>(
            MethodType.DuplexStreaming, "sc2bridge.v1.BridgeService", "Play", requests, messages);
        using var channel = GrpcChannel.ForAddress($"http://{address}", new() { MaxReceiveMessageSize = LongestMessage });
        using var call = channel.CreateCallInvoker().AsyncDuplexStreamingCall(play, null, new CallOptions(cancellationToken: ct));
        await call.RequestStream.WriteAsync(new PlayRequest { Subscribe = request }, ct);
        await call.RequestStream.CompleteAsync();
        while (more && await call.ResponseStream.MoveNext(ct))
        {
        }
    }

    private static async Task MemoryAsync(
        string address, SubscribeRequest request, Func<ReadOnlySequence<byte>, bool> take, CancellationToken ct)
    {
        using var reader = new SharedMemoryReader();
        await reader.ReadAsync(address, request, message => take(new(message)), ct);
    }

    // gRPC's messages with their prefixes, and nothing around them.
    private static async Task RawAsync(string address, Func<ReadOnlySequence<byte>, bool> take, CancellationToken ct)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(IPEndPoint.Parse(address), ct);

        // An empty subscription.
        await socket.SendAsync(new byte[PrefixLength].AsMemory(), ct);
        await using var stream = new NetworkStream(socket);
        var buffer = new byte[1 << 20];
        int length;
        do
        {
            await stream.ReadExactlyAsync(buffer.AsMemory(0, PrefixLength), ct);
            length = BinaryPrimitives.ReadInt32BigEndian(buffer.AsSpan(1));
            Grow(ref buffer, length, 0);
            await stream.ReadExactlyAsync(buffer.AsMemory(0, length), ct);
        }
        while (take(new(buffer, 0, length)));
    }

    private static async Task WebSocketAsync(
        string url, bool isText, SubscribeRequest request, Func<ReadOnlySequence<byte>, bool> take, CancellationToken ct)
    {
        using var socket = new ClientWebSocket();
        socket.Options.KeepAliveInterval = TimeSpan.Zero;
        socket.Options.AddSubProtocol(isText ? "sc2bridge.json.v1" : "sc2bridge.proto.v1");
        await socket.ConnectAsync(new Uri(url), ct);
        var first = new PlayRequest { Subscribe = request };
        await socket.SendAsync(
            isText ? System.Text.Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(first)) : first.ToByteArray(),
            isText ? WebSocketMessageType.Text : WebSocketMessageType.Binary,
            endOfMessage: true,
            ct);
        var buffer = new byte[1 << 20];
        int held;
        do
        {
            ValueWebSocketReceiveResult received;
            held = 0;
            do
            {
                Grow(ref buffer, held + 1, held);
                received = await socket.ReceiveAsync(buffer.AsMemory(held), ct);
                held += received.Count;
            }
            while (!received.EndOfMessage);

            if (received.MessageType == WebSocketMessageType.Close)
            {
                throw new CommandException($"the bridge closed: {socket.CloseStatusDescription}");
            }
        }
        while (take(new(buffer, 0, held)));

        await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, ct);
    }

    private static void Grow(ref byte[] buffer, int length, int kept)
    {
        if (length > LongestMessage)
        {
            throw new CommandException("a message is larger than 16 MiB");
        }

        if (length > buffer.Length)
        {
            var larger = new byte[Math.Max(length, buffer.Length * 2)];
            buffer.AsSpan(0, kept).CopyTo(larger);
            buffer = larger;
        }
    }
}
