using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using Google.Protobuf;
using Grpc.Core;
using Sc2Bridge.Comparing.Running;
using Sc2Bridge.Comparing.Serving;
using Sc2Bridge.Measuring;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Comparing.Agents;

/// <summary>How messages come, over each transport.</summary>
internal static class Streams
{
    private const string GrpcScheme = "grpc://";
    private const string RawScheme = "raw://";
    private const int LongestMessage = 16 << 20;

    // The match waits for who is slow, so that none is lost.
    private static SubscribeRequest Request => new()
    {
        Policy = Policy.Every,
        Overflow = Overflow.Pause,
        Agent = "reader",
    };

    /// <summary>Hears a match over what the order's address says.</summary>
    public static Task HearAsync(HearOrder order, HeardFrames heard, CancellationToken ct) =>
        order.Url.StartsWith(GrpcScheme, StringComparison.Ordinal) ? HearGrpcAsync(order, heard, ct)
        : order.Url.StartsWith(RawScheme, StringComparison.Ordinal) ? HearRawAsync(order, heard, ct)
        : HearSocketAsync(order, heard, ct);

    private static async Task HearGrpcAsync(HearOrder order, HeardFrames heard, CancellationToken ct)
    {
        try
        {
            using var events = new GrpcEvents(order.Url[GrpcScheme.Length..], Request, heard.Take, ct);
            while (!heard.IsOver && await events.NextAsync(ct))
            {
            }
        }
        catch (RpcException ended)
        {
            throw new MeasuringException(ended.Status.Detail);
        }
    }

    // The yardstick's: gRPC's messages with their prefixes, and nothing around them.
    private static async Task HearRawAsync(HearOrder order, HeardFrames heard, CancellationToken ct)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(IPEndPoint.Parse(order.Url[RawScheme.Length..]), ct);
            var buffer = new byte[1 << 20];
            while (!heard.IsOver)
            {
                await ReceiveAsync(socket, buffer.AsMemory(0, FrameLoop.PrefixLength), ct);
                var length = BinaryPrimitives.ReadUInt32BigEndian(buffer.AsSpan(1));
                if (length > LongestMessage)
                {
                    throw TooLong();
                }

                buffer = buffer.Length < length ? new byte[length] : buffer;
                await ReceiveAsync(socket, buffer.AsMemory(0, (int)length), ct);
                heard.Take(new(buffer, 0, (int)length));
            }
        }
        catch (SocketException broken)
        {
            throw new MeasuringException(broken.Message);
        }
    }

    private static async Task ReceiveAsync(Socket socket, Memory<byte> rest, CancellationToken ct)
    {
        while (rest.Length > 0)
        {
            var received = await socket.ReceiveAsync(rest, ct);
            rest = received > 0
                ? rest[received..]
                : throw new MeasuringException("the sender closed the connection in the middle of the match");
        }
    }

    private static async Task HearSocketAsync(HearOrder order, HeardFrames heard, CancellationToken ct)
    {
        using var socket = new ClientWebSocket();
        socket.Options.KeepAliveInterval = TimeSpan.Zero;
        socket.Options.AddSubProtocol($"sc2bridge.v1.{order.Encoding}");
        var isText = order.Encoding == "json";
        try
        {
            await socket.ConnectAsync(new Uri(order.Url), ct);
            var first = new AgentMessage { Subscribe = Request };
            await (isText
                ? socket.SendAsync(Text(first), WebSocketMessageType.Text, endOfMessage: true, ct)
                : socket.SendAsync(first.ToByteArray(), WebSocketMessageType.Binary, endOfMessage: true, ct));
            var buffer = new byte[1 << 20];
            while (!heard.IsOver)
            {
                var held = 0;
                ValueWebSocketReceiveResult received;
                do
                {
                    if (held == buffer.Length)
                    {
                        Array.Resize(ref buffer, held < LongestMessage
                            ? held * 2
                            : throw TooLong());
                    }

                    received = await socket.ReceiveAsync(buffer.AsMemory(held), ct);
                    held += received.Count;
                }
                while (!received.EndOfMessage);

                if (received.MessageType == WebSocketMessageType.Close)
                {
                    throw new MeasuringException($"the bridge closed: {socket.CloseStatusDescription}");
                }

                if (isText)
                {
                    heard.TakeText(buffer.AsMemory(0, held));
                }
                else
                {
                    heard.Take(new(buffer, 0, held));
                }
            }

            await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, ct);
        }
        catch (WebSocketException broken)
        {
            throw new MeasuringException(broken.Message);
        }
    }

    private static MeasuringException TooLong() => new("a message came of more than 16 MiB");

    private static byte[] Text(AgentMessage message) =>
        System.Text.Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(message));
}
