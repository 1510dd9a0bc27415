using System.Buffers;
using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Threading.Channels;
using Google.Protobuf;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Server;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>A client of a yardstick, which has subscribed.</summary>
/// <param name="Encode">Converts a message to the bytes that are sent. Null if it is sent unchanged.</param>
/// <param name="Send">Sends these bytes.</param>
/// <param name="Receive">Waits for the client's next message.</param>
/// <param name="Leave">Ends the stream in the transport's way.</param>
internal sealed record YardstickClient(
    Func<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>? Encode,
    Func<ReadOnlyMemory<byte>, ValueTask> Send,
    Func<ValueTask> Receive,
    Action Leave)
{
    /// <summary>Whether an error says that a client is no longer there.</summary>
    public static bool IsGone(Exception error) =>
        error is IOException or SocketException or WebSocketException or ConnectionAbortedException
            or ObjectDisposedException or InvalidOperationException;
}

/// <summary>
/// The yardsticks for the bridge: a handler that only writes the same bytes to its client, on a Kestrel with the bridge's
/// settings, and the fastest possible sender, a blocking socket. For JSON the handler does what a user of Google.Protobuf
/// would do: the library parses and formats the message.
/// </summary>
internal sealed class YardstickServer : IAsyncDisposable
{
    private const string JsonProtocol = "sc2bridge.json.v1";
    private const int MostClients = 1024;
    private const int MostReceived = 4096;

    private static readonly PlayResponse _subscribed = new() { Subscribe = new SubscribeResponse { SessionId = "none" } };

    private readonly WebApplication _app;

    // The sockets that it accepts inherit NoDelay.
    private readonly Socket _raw = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly Socket? _rawUnix;
    private readonly SharedMemoryYardstick? _memory;
    private readonly Channel<YardstickClient> _clients = Channel.CreateUnbounded<YardstickClient>();

    private YardstickServer(IPAddress host)
    {
        _raw.Bind(new IPEndPoint(host, 0));
        _raw.Listen(MostClients);
        if (OperatingSystem.IsLinux())
        {
            _memory = new SharedMemoryYardstick(client => _clients.Writer.TryWrite(client));
            _rawUnix = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            _rawUnix.Bind(new UnixDomainSocketEndPoint($"\0{RawUnixAddress}"));
            _rawUnix.Listen(MostClients);
        }

        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseBridgeKestrel();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(host, 0, listen => listen.Protocols = HttpProtocols.Http2);
            kestrel.Listen(host, 0, listen => listen.Protocols = HttpProtocols.Http1);
        });
        _app = builder.Build();
        _app.UseWebSockets(new WebSocketOptions { KeepAliveInterval = Timeout.InfiniteTimeSpan });
        _app.MapPost("/sc2bridge.v1.BridgeService/{method}", ServeGrpcAsync);
        _app.Map("/v1", ServeWebSocketAsync);
    }

    /// <summary>gRPC's <c>HOST:PORT</c>.</summary>
    public string GrpcAddress { get; private set; } = "";

    public string WebAddress { get; private set; } = "";

    public string RawAddress => _raw.LocalEndPoint!.ToString()!;

    /// <summary>The raw Unix socket's name, without a file.</summary>
    public string RawUnixAddress { get; } = $"sc2bridge-raw-{Environment.ProcessId}";

    /// <summary>The socket for shared memory, empty without shared memory.</summary>
    public string MemoryAddress => _memory?.Name ?? "";

    public static async Task<YardstickServer> StartAsync(string host, CancellationToken ct)
    {
        var server = new YardstickServer(IPAddress.Parse(host));
        await server._app.StartAsync(ct);
        var bound = server._app.Urls.Select(url => new Uri(url).Authority).ToList();
        (server.GrpcAddress, server.WebAddress) = (bound[0], bound[1]);
        _ = AcceptAsync(server._raw, server.ServeRaw);
        if (server._rawUnix is { } unix)
        {
            _ = AcceptAsync(unix, server.ServeRaw);
        }

        return server;
    }

    /// <summary>The next client that subscribes, over whatever transport.</summary>
    public ValueTask<YardstickClient> NextAsync(CancellationToken ct) => _clients.Reader.ReadAsync(ct);

    public async ValueTask DisposeAsync()
    {
        _raw.Dispose();
        _rawUnix?.Dispose();
        _memory?.Dispose();
        await _app.DisposeAsync();
    }

    /// <summary>Serves each client of a listener until the listener is closed.</summary>
    public static async Task AcceptAsync(Socket listener, Action<Socket> serve)
    {
        try
        {
            while (true)
            {
                var socket = await listener.AcceptAsync();
                _ = Task.Run(() => serve(socket));
            }
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            // The server is closed.
        }
    }

    // Blocking calls, so that a waiting client needs no switch of threads.
    private void ServeRaw(Socket socket)
    {
        var message = new byte[MostReceived];
        Receive();
        _clients.Writer.TryWrite(new YardstickClient(null, Send, Answered, socket.Dispose));

        ValueTask Send(ReadOnlyMemory<byte> bytes)
        {
            SendAll(Prefix(bytes.Length));
            SendAll(bytes.Span);
            return default;
        }

        void SendAll(ReadOnlySpan<byte> rest)
        {
            while (rest.Length > 0)
            {
                rest = rest[socket.Send(rest)..];
            }
        }

        ValueTask Answered()
        {
            Receive();
            return default;
        }

        void Receive()
        {
            for (var held = 0; held < SubscriberClient.PrefixLength
                || held < SubscriberClient.PrefixLength + BinaryPrimitives.ReadInt32BigEndian(message.AsSpan(1));)
            {
                var received = socket.Receive(message.AsSpan(held));
                held += received > 0 ? received : throw new IOException("the client went away");
            }
        }
    }

    private async Task ServeGrpcAsync(HttpContext context)
    {
        var (body, writer) = (context.Request.Body, context.Response.BodyWriter);
        var received = new byte[MostReceived];
        context.Response.ContentType = "application/grpc";
        await context.Response.StartAsync();
        await ReadAsync();
        if ((string?)context.Request.RouteValues["method"] == "Hello")
        {
            await WriteAsync(new HelloResponse { ProtocolVersion = 1 }.ToByteArray());
        }
        else
        {
            await WriteAsync(_subscribed.ToByteArray());
            await ServeAsync(null, WriteAsync, ReadAsync);
        }

        context.Response.AppendTrailer("grpc-status", "0");

        async ValueTask ReadAsync()
        {
            await body.ReadExactlyAsync(received.AsMemory(0, SubscriberClient.PrefixLength));
            await body.ReadExactlyAsync(received.AsMemory(0, BinaryPrimitives.ReadInt32BigEndian(received.AsSpan(1))));
        }

        async ValueTask WriteAsync(ReadOnlyMemory<byte> message)
        {
            writer.Write(Prefix(message.Length));
            await writer.WriteAsync(message);
        }
    }

    private async Task ServeWebSocketAsync(HttpContext context)
    {
        var protocol = context.WebSockets.WebSocketRequestedProtocols[0];
        var isText = protocol == JsonProtocol;
        using var socket = await context.WebSockets.AcceptWebSocketAsync(protocol);
        var ct = context.RequestAborted;
        var received = new byte[MostReceived];

        // The package sends `hello` before it subscribes, and does not wait for its answer.
        while (Parse(await ReceiveAsync()).Subscribe is null)
        {
        }

        await SendAsync(isText ? TextOf(_subscribed) : _subscribed.ToByteArray());
        await ServeAsync(
            isText ? static message => TextOf(PlayResponse.Parser.ParseFrom(message.Span)) : null,
            SendAsync,
            async () => await ReceiveAsync());

        // Whichever side closes first, the other one closes as well.
        await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, ct);

        PlayRequest Parse(int length) => isText
            ? JsonParser.Default.Parse<PlayRequest>(System.Text.Encoding.UTF8.GetString(received, 0, length))
            : PlayRequest.Parser.ParseFrom(received, 0, length);

        async ValueTask<int> ReceiveAsync() => (await socket.ReceiveAsync(received.AsMemory(), ct)).Count;

        ValueTask SendAsync(ReadOnlyMemory<byte> message) => socket.SendAsync(
            message, isText ? WebSocketMessageType.Text : WebSocketMessageType.Binary, endOfMessage: true, ct);
    }

    // gRPC's, of a message that is not compressed.
    private static byte[] Prefix(int length)
    {
        var prefix = new byte[SubscriberClient.PrefixLength];
        BinaryPrimitives.WriteInt32BigEndian(prefix.AsSpan(1), length);
        return prefix;
    }

    private static byte[] TextOf(PlayResponse message) =>
        System.Text.Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(message));

    private Task ServeAsync(
        Func<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>? encode,
        Func<ReadOnlyMemory<byte>, ValueTask> send,
        Func<ValueTask> receive)
    {
        var left = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _clients.Writer.TryWrite(new YardstickClient(encode, send, receive, () => left.TrySetResult()));
        return left.Task;
    }
}
