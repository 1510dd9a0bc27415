using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>The addresses of the server, and the clients that it accepts.</summary>
public sealed record BridgeServerOptions
{
    /// <summary>The address for gRPC: <c>host:port</c> (port 0: any free port) or <c>unix:/path</c>; null turns gRPC off.</summary>
    public string? GrpcAddress { get; init; } = "127.0.0.1:50051";

    /// <summary>
    /// The address for the WebSocket, in the format of <see cref="GrpcAddress"/>; null turns the WebSocket off.
    /// </summary>
    public string? WebAddress { get; init; } = "127.0.0.1:8765";

    /// <summary>The name under which programs of the same user find the shared memory; null turns shared memory off.</summary>
    public string? SharedMemoryName { get; init; }

    /// <summary>
    /// Whether to use permessage-deflate if a WebSocket client offers it. Off by default: common clients offer it without
    /// a request of the user, and compression doubles the delivery time of a frame to a client on the same machine.
    /// </summary>
    public bool AllowDeflate { get; init; }

    /// <summary>
    /// Origins of web pages that may connect, in addition to this server's own pages. Clients that are not browsers send no
    /// origin and are always accepted.
    /// </summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>
    /// The URL of an OpenTelemetry collector (OTLP over HTTP, for example <c>http://localhost:4318</c>). The collector
    /// gets metrics, and traces if they are on. Null for no collector.
    /// </summary>
    public Uri? OtlpEndpoint { get; init; }

    /// <summary>Whether to serve the live page at the web address.</summary>
    public bool ServesPage { get; init; } = true;

    /// <summary>The source of health checks; null to always report that the bridge serves. The server does not dispose it.</summary>
    public HealthOfBridge? Health { get; init; }

    /// <summary>
    /// The state that compressing subscribers share; null to create a new state. Set it if subscribers outside this server
    /// share the state too.
    /// </summary>
    public SharedCompression? Compression { get; init; }

    /// <summary>
    /// The tokens and their clients. An address that other machines can reach (not loopback, not a Unix socket) requires a
    /// token. On other addresses a client without a token is <see cref="Identity.Anonymous"/>.
    /// </summary>
    public TokenStore Tokens { get; init; } = TokenStore.Empty;

    /// <summary>Whether to accept clients without a token on every address.</summary>
    public bool AllowAnonymous { get; init; }

    /// <summary>The certificate for both addresses; null for no TLS.</summary>
    public Tls? Tls { get; init; }

    /// <summary>
    /// Host names that clients may use for this server, in addition to addresses, the machine's own names and the names that
    /// the server listens on.
    /// </summary>
    public IReadOnlyList<string> AllowedHosts { get; init; } = [];

    /// <summary>
    /// Counts and limits clients, and may be shared with other servers of the process. Null to create an admission for this
    /// server, with default limits.
    /// </summary>
    public ConnectionAdmission? Admission { get; init; }

    /// <summary>The logs of the server and of the web server. The server does not dispose it.</summary>
    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <summary>
    /// How long a client whose subscription has ended may leave a message unread before its connection (over gRPC, its call)
    /// is aborted. The default is long, because the client may still process a frame.
    /// </summary>
    internal TimeSpan UnreadTimeout { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How long a client without a token may leave an answer unread before its connection is aborted.</summary>
    internal TimeSpan StrangerTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The files of the live page; null for the files that were built into this program.</summary>
    internal IReadOnlyList<PageFile>? PageFiles { get; init; }

    /// <summary>The clock for the expiry of tokens.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Whether a text is a valid <see cref="SharedMemoryName"/>.</summary>
    public static bool IsSharedMemoryName(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return name.Length is > 0 and <= 100 && name.All(letter => char.IsAsciiLetterOrDigit(letter) || letter is '.' or '-' or '_');
    }

    /// <summary>Creates a unique name. A process number is not enough, because containers that share a network can have equal process numbers.</summary>
    public static string NewSharedMemoryName() => $"sc2bridge-{Environment.ProcessId}-{RandomNumberGenerator.GetHexString(8, lowercase: true)}";
}
