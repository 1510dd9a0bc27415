using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>Where the bridge serves agents, and which clients it accepts.</summary>
public sealed record BridgeServerOptions
{
    /// <summary><c>host:port</c> (port 0: any free one) or <c>unix:/path</c> for gRPC; null: no gRPC.</summary>
    public string? GrpcAddress { get; init; } = "127.0.0.1:50051";

    /// <summary>The same for the WebSocket; null: none.</summary>
    public string? WebAddress { get; init; } = "127.0.0.1:8765";

    /// <summary>
    /// The name under which programs of the same user find the memory that they share with the bridge; null: none is shared.
    /// </summary>
    public string? SharedMemoryName { get; init; }

    /// <summary>
    /// Whether a WebSocket client that offers permessage-deflate gets it; off, as the usual ones offer it unasked and it
    /// doubles the time to deliver a frame on one machine.
    /// </summary>
    public bool AllowDeflate { get; init; }

    /// <summary>
    /// Origins of web pages that may connect, beside those that this server serves itself; clients that are no browser
    /// send none and may always.
    /// </summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>
    /// A collector that takes OpenTelemetry's protocol over HTTP (<c>http://localhost:4318</c>): gets the meters, and
    /// traces where there are any; null: none.
    /// </summary>
    public Uri? OtlpEndpoint { get; init; }

    /// <summary>Whether the live page is served at the web address.</summary>
    public bool ServesPage { get; init; } = true;

    /// <summary>What health checks answer; null: that the bridge serves. Not disposed by the server.</summary>
    public HealthOfBridge? Health { get; init; }

    /// <summary>What compressing subscribers share, of which the server's are not all; null: they are.</summary>
    public SharedCompression? Compression { get; init; }

    /// <summary>
    /// Who may connect with which token. At an address beyond this machine (not loopback, and no Unix socket) nobody may
    /// without one; at others a client that shows none is <see cref="Identity.Anonymous"/>.
    /// </summary>
    public TokenStore Tokens { get; init; } = TokenStore.Empty;

    /// <summary>Lets clients in without a token at any address.</summary>
    public bool AllowAnonymous { get; init; }

    /// <summary>The certificate for both addresses; null: no TLS.</summary>
    public Tls? Tls { get; init; }

    /// <summary>Names that clients may call this server by, beside addresses, the machine's own and those it listens on.</summary>
    public IReadOnlyList<string> AllowedHosts { get; init; } = [];

    /// <summary>Counts and limits clients, with others of the process; null: by itself, with the default limits.</summary>
    public ConnectionAdmission? Admission { get; init; }

    /// <summary>Where the server logs, and the web server below it; not disposed by it.</summary>
    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <summary>
    /// How long a client whose subscription has ended may leave a message unread before its connection is cut (over gRPC, its
    /// call). Long, as it may think about a frame meanwhile.
    /// </summary>
    internal TimeSpan UnreadTimeout { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How long a client that has shown no token may leave an answer unread before its connection is cut.</summary>
    internal TimeSpan StrangerTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The page's files; null: those that were built into this program.</summary>
    internal IReadOnlyList<PageFile>? PageFiles { get; init; }

    /// <summary>Says when tokens expire.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Whether this may be <see cref="SharedMemoryName"/>.</summary>
    public static bool IsSharedMemoryName(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return name.Length is > 0 and <= 100 && name.All(letter => char.IsAsciiLetterOrDigit(letter) || letter is '.' or '-' or '_');
    }

    /// <summary>A name that nobody else has: process numbers are the same in containers that share a network.</summary>
    public static string NewSharedMemoryName() => $"sc2bridge-{Environment.ProcessId}-{RandomNumberGenerator.GetHexString(8, lowercase: true)}";
}
