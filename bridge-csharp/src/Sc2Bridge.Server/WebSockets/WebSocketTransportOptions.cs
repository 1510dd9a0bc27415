namespace Sc2Bridge.Server;

/// <summary>How the WebSocket treats its clients.</summary>
public sealed record WebSocketTransportOptions
{
    /// <summary>
    /// Whether a client that offers permessage-deflate gets it. Off unless asked for: browsers and the usual libraries
    /// offer it unasked, and then every frame is compressed again for each of them (0.8 ms for 160 KiB, and twice the
    /// delivery time on one machine). It pays on links of less than some 100 Mbit/s.
    /// </summary>
    public bool AllowDeflate { get; init; }

    /// <summary>
    /// Origins (<c>https://host:port</c>) of web pages that may connect, beside pages of the bridge's own host; <c>*</c>
    /// allows all. Clients that are no browser send no origin and may always connect.
    /// </summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>The longest message that an agent may send, in bytes: 4 MiB, as gRPC's.</summary>
    public int LongestMessage { get; init; } = 4 << 20;

    /// <summary>Requests and descriptions that one client may wait for at a time; it is not read on while it has more.</summary>
    public int MostRequests { get; init; } = 64;

    /// <summary>After how long a silence the client is asked for a sign of life.</summary>
    public TimeSpan KeepAliveInterval { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long that sign may take. A client that was killed is noticed at once; this is for one whose machine or link
    /// vanished. Long, as an agent that thinks on the thread that reads answers no ping meanwhile.
    /// </summary>
    public TimeSpan KeepAliveTimeout { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How long the client may take to answer a close.</summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(10);
}
