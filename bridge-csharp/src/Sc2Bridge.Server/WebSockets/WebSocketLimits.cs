namespace Sc2Bridge.Server;

/// <summary>What the WebSocket lets its clients do.</summary>
internal static class WebSocketLimits
{
    /// <summary>The longest message that an agent may send, in bytes: as gRPC's.</summary>
    public const int LongestMessage = GrpcCompression.LongestMessage;

    /// <summary>
    /// The most requests and descriptions of one client in progress; beyond that it is not read from.
    /// </summary>
    public const int MostRequests = ConnectionLimiter.MostRequests;

    /// <summary>After how long a silence the client is pinged.</summary>
    public static readonly TimeSpan KeepAliveInterval = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long the pong may take. A client that was killed is noticed at once; this is for one whose machine or link
    /// vanished. Long, as an agent that thinks on the thread that reads answers no ping meanwhile.
    /// </summary>
    public static readonly TimeSpan KeepAliveTimeout = TimeSpan.FromMinutes(5);

    /// <summary>How long one that holds what others need may take to hear why it is cut off.</summary>
    public static readonly TimeSpan CutTimeout = TimeSpan.FromSeconds(1);

    /// <summary>How long the client may take to answer a close.</summary>
    public static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(10);
}
