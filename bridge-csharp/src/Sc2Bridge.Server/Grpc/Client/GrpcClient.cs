using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Google.Protobuf;

namespace Sc2Bridge.Server;

/// <summary>What a call asks for beside its messages.</summary>
public sealed record GrpcCallOptions
{
    /// <summary>After this time the call ends with DEADLINE_EXCEEDED; null: never.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>Ask for gzip messages.</summary>
    public bool Gzip { get; init; }

    /// <summary>More headers.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Metadata { get; init; } = [];
}

/// <summary>
/// A gRPC client on <see cref="HttpClient"/>'s HTTP/2, for the bridge's own tests and benchmarks: it keeps to one
/// connection and shares its framing code with the server.
/// </summary>
public sealed class GrpcClient : IDisposable
{
    private readonly HttpClient _http;
    private readonly Uri _origin;

    /// <summary>A client of one server; it connects at the first call.</summary>
    /// <param name="address"><c>host:port</c> or <c>unix:/path</c>, as <see cref="BridgeServer.GrpcAddress"/> says it.</param>
    public GrpcClient(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        var handler = new SocketsHttpHandler
        {
            EnableMultipleHttp2Connections = false,
            InitialHttp2StreamWindowSize = 4 << 20,
            UseProxy = false,
        };
        if (address.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal))
        {
            var path = address[BridgeAddress.UnixScheme.Length..];
            handler.ConnectCallback = async (_, cancelled) =>
            {
                var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancelled);
                return new NetworkStream(socket, ownsSocket: true);
            };
            _origin = new Uri("http://localhost");
        }
        else
        {
            _origin = new Uri($"http://{address}");
        }

        _http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
    }

    /// <summary>Opens a call.</summary>
    /// <param name="method">Such as <c>/sc2bridge.v1.Bridge/Play</c>.</param>
    /// <param name="options">What the call asks for.</param>
    /// <param name="cancelled">Cancels the call for as long as it lasts.</param>
    public GrpcClientCall Open(
        string method, GrpcCallOptions? options = null, CancellationToken cancelled = default)
    {
        options ??= new();
        var content = new MessageContent();
        var request = new HttpRequestMessage(HttpMethod.Post, new Uri(_origin, method))
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = content,
        };
        request.Headers.TE.Add(new TransferCodingWithQualityHeaderValue("trailers"));
        request.Headers.Add(GrpcHeaders.AcceptEncoding, GrpcHeaders.Encodings);
        if (options.Timeout is { } timeout)
        {
            request.Headers.Add(GrpcHeaders.Timeout, GrpcTimeout.Format(timeout));
        }

        if (options.Gzip)
        {
            request.Headers.Add(GrpcHeaders.Compression, GrpcGzip.Name);
        }

        foreach (var (name, value) in options.Metadata)
        {
            request.Headers.Add(name, value);
        }

        var ending = CancellationTokenSource.CreateLinkedTokenSource(cancelled);
        var response = _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, ending.Token);
        return new GrpcClientCall(content, response, ending);
    }

    /// <summary>A call of one message that is answered with one.</summary>
    /// <exception cref="GrpcException">The call ended with a status that is not OK.</exception>
    public async Task<TResponse> UnaryAsync<TResponse>(
        string method,
        IMessage request,
        MessageParser<TResponse> parser,
        GrpcCallOptions? options = null,
        CancellationToken cancelled = default)
        where TResponse : class, IMessage<TResponse>
    {
        using var call = Open(method, options, cancelled);
        await call.WriteAsync(request);
        call.Complete();
        var response = await call.ReadAsync(parser);
        if (response is not null)
        {
            await call.ReadAsync(parser);
        }

        return response ?? throw new GrpcException(GrpcCode.Internal, "The call ended with OK and no message.");
    }

    /// <inheritdoc/>
    public void Dispose() => _http.Dispose();
}
