namespace Sc2Bridge.Admission;

/// <summary>What all clients of a process may cost together, and those of one address.</summary>
public sealed record AdmissionLimits
{
    /// <summary>The most connections of all listeners; by default as many as the process has open files for.</summary>
    public int Connections { get; init; } = Math.Min(10_000, Math.Max(0, OpenFiles.ForConnections));

    /// <summary>The most connections of one address; null: all of them from this machine, half of them from others.</summary>
    public int? ConnectionsPerAddress { get; init; }

    /// <summary>The most requests that are open at a time, on however few connections: calls, streams, WebSockets.</summary>
    public int Requests => Twice(Connections);

    /// <summary>The most of one address; null: as with connections.</summary>
    public int? RequestsPerAddress => ConnectionsPerAddress is { } most ? Twice(most) : null;

    /// <summary>
    /// The most HTTP/2 streams of one connection: a program of many agents may have all its subscriptions on one. Past them its next
    /// one waits without a word; what a crowd opens at once is handled before what others send then.
    /// </summary>
    public int StreamsPerConnection
    {
        get => field > 0 ? field : Math.Max(100, Twice(Subscriptions));
        init;
    }

    /// <summary>
    /// The most subscriptions: 8 a core, beside which an agent has its frames in about twice the usual time, and 16 at least.
    /// </summary>
    public int Subscriptions { get; init; } = Math.Max(16, 8 * Environment.ProcessorCount);

    /// <summary>The most subscriptions of one address; null: all of them from this machine, half of them from others.</summary>
    public int? SubscriptionsPerAddress { get; init; }

    /// <summary>
    /// Subscriptions that one address begins in each second, those that are refused among them, and a twentieth of them at once; more wait.
    /// </summary>
    public int SubscriptionsPerSecond { get; init; } = 500;

    /// <summary>Messages that are read of one address in each second; more wait.</summary>
    public int MessagesPerSecond { get; init; } = 100_000;

    /// <summary>Bytes that are read of one address in each second; more wait.</summary>
    public int BytesPerSecond { get; init; } = 64 << 20;

    /// <summary>
    /// Bytes that are held of messages which have begun and are not whole; past them the client whose message has been
    /// unfinished for longest is cut off.
    /// </summary>
    public long UnfinishedBytes { get; init; } = 64 << 20;

    /// <summary>
    /// How long a connection may be open without a request, from its first moment on, and how long an agent's stream
    /// without its first message.
    /// </summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// How long a client's machine may acknowledge nothing of what it was sent. It is the machine that is judged: a
    /// program that thinks, or is stopped, acknowledges through it.
    /// </summary>
    public TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>What is wrong with them in one line, that names what to do; null where nothing is.</summary>
    public string? Problem => OpenFiles.ForConnections < OpenFiles.LeastConnections
        ? $"This process may open {OpenFiles.Most} files only, and needs {OpenFiles.Least}: raise the limit with 'ulimit -n 4096'"
        : Connections > OpenFiles.ForConnections
        ? $"--max-connections {Connections} is too many for the {OpenFiles.Most} files that this process may open: give "
            + $"{OpenFiles.ForConnections} at most, or raise the limit with 'ulimit -n'"
        : null;

    // An agent has a stream for its subscription, and asks something beside it.
    private static int Twice(int connections) => (int)Math.Min(2L * connections, int.MaxValue);
}
