namespace Sc2Bridge.Admission;

/// <summary>The limits for all clients of a process together, and for the clients of one address.</summary>
public sealed record AdmissionLimits
{
    /// <summary>The most connections of all listeners. Default: 10,000, or fewer if the process may open fewer files.</summary>
    public int Connections { get; init; } = Math.Min(10_000, Math.Max(0, OpenFiles.MostConnections));

    /// <summary>The most connections of one address. If null, clients on this machine may have all connections, and any other address half of them.</summary>
    public int? ConnectionsPerAddress { get; init; }

    /// <summary>The most requests (calls, streams and WebSockets) that are open at a time, over all connections.</summary>
    public int Requests => Twice(Connections);

    /// <summary>The most open requests of one address. If null, an address may have the same share of the requests as of the connections.</summary>
    public int? RequestsPerAddress => ConnectionsPerAddress is { } most ? Twice(most) : null;

    /// <summary>
    /// The most HTTP/2 streams of one connection. A program with many agents may have all its subscriptions on one connection.
    /// Further streams wait, and the client gets no error. The limit exists because a burst of new streams delays the
    /// requests of other clients.
    /// </summary>
    public int StreamsPerConnection
    {
        get => field > 0 ? field : Math.Max(100, Twice(Subscriptions));
        init;
    }

    /// <summary>
    /// The most subscriptions. Default: 8 per core, at least 16. With 8 per core, a frame needs about twice the usual time to reach an agent.
    /// </summary>
    public int Subscriptions { get; init; } = Math.Max(16, 8 * Environment.ProcessorCount);

    /// <summary>The most subscriptions of one address. If null, clients on this machine may have all of them, and any other address half of them.</summary>
    public int? SubscriptionsPerAddress { get; init; }

    /// <summary>
    /// The subscriptions, including refused ones, that one address may begin in a second. A twentieth of this number
    /// may begin at once; further subscriptions wait.
    /// </summary>
    public int SubscriptionsPerSecond { get; init; } = 500;

    /// <summary>The messages that are read from one address in a second. Further messages wait.</summary>
    public int MessagesPerSecond { get; init; } = 100_000;

    /// <summary>The bytes that are read from one address in a second. Further bytes wait.</summary>
    public int BytesPerSecond { get; init; } = 64 << 20;

    /// <summary>
    /// The most buffered bytes of all unfinished messages. Above this limit, the client whose message has been unfinished for longest
    /// is disconnected.
    /// </summary>
    public long UnfinishedBytes { get; init; } = 64 << 20;

    /// <summary>
    /// How long a connection may be open without a request, also before its first request. The limit also applies to the time
    /// before the first message of an agent's stream.
    /// </summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// How long a client's machine may leave all sent data unacknowledged. The machine acknowledges data even if the
    /// client program does not read, so a program that computes or is stopped is not disconnected.
    /// </summary>
    public TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The problem with these limits and its remedy, in one line; null if they are valid.</summary>
    public string? Problem => OpenFiles.MostConnections < OpenFiles.LeastConnections
        ? $"This process may open {OpenFiles.SoftLimit} files only, and the bridge needs {OpenFiles.LeastLimit}: raise the limit with 'ulimit -n 4096'"
        : Connections > OpenFiles.MostConnections
        ? $"--max-connections {Connections} is too many for the {OpenFiles.SoftLimit} files that this process may open: give "
            + $"{OpenFiles.MostConnections} at most, or raise the limit with 'ulimit -n'"
        : null;

    // An agent needs one stream for its subscription and one for other calls.
    private static int Twice(int count) => (int)Math.Min(2L * count, int.MaxValue);
}
