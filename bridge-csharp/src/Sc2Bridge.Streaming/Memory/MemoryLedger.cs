namespace Sc2Bridge.Streaming;

/// <summary>The purposes for which the ledger counts memory.</summary>
public enum MemoryAccount
{
    /// <summary>Observations.</summary>
    Frames,

    /// <summary>Encodings of observations for subscribers, and compression streams.</summary>
    Encodings,

    /// <summary>The contents of subscribers' queues, except frames: notices, outcomes, summaries of skipped frames.</summary>
    Queues,

    /// <summary>Connections, and the data that waits for their sockets.</summary>
    Connections,

    /// <summary>Clients' requests, and their answers until they are written.</summary>
    Requests,

    /// <summary>The streams and buffers of subscribers. Empty streams and buffers count too.</summary>
    Subscribers,

    /// <summary>Data that waits to be written to a recording, except frames.</summary>
    Recorder,

    /// <summary>Events and lines that wait to be written to logs.</summary>
    Log,
}

/// <summary>
/// Counts the memory that agents can make the bridge use, and has a ceiling for that memory. Thread-safe. A change costs two
/// interlocked additions.
/// </summary>
public sealed class MemoryLedger
{
    /// <summary>The lowest useful ceiling, in bytes: about 250 late-game frames.</summary>
    public const long LeastCeiling = 64 << 20;

    private readonly long[] _accounts = new long[Enum.GetValues<MemoryAccount>().Length];
    private long _total;
    private long _peak;

    /// <param name="ceiling">The limit in bytes.</param>
    public MemoryLedger(long ceiling)
    {
        Ceiling = ceiling;
        Encodings = new EncodingCache(this);
        OnFrameReleased = bytes => Add(MemoryAccount.Frames, -bytes);
        OnEncodingReleased = bytes => Add(MemoryAccount.Encodings, -bytes);
    }

    /// <summary>
    /// Half of the memory that the machine, the container or the heap limit gives this process. The other half is for pools,
    /// sockets and the runtime.
    /// </summary>
    public static long DefaultCeiling => Math.Max(LeastCeiling, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 2);

    /// <summary>The limit in bytes.</summary>
    public long Ceiling { get; }

    /// <summary>The bytes in use.</summary>
    public long Total => Interlocked.Read(ref _total);

    /// <summary>The largest number of bytes that were in use.</summary>
    public long Peak => Interlocked.Read(ref _peak);

    /// <summary>Whether the memory in use exceeds the ceiling.</summary>
    public bool IsOverCeiling => Excess > 0;

    /// <summary>
    /// The bytes above the ceiling; negative below it. Connections and requests count for at most a quarter of the ceiling each. Otherwise
    /// clients that may not subscribe could use up the memory for agents' frames. Each connection also has its own limits.
    /// </summary>
    internal long Excess => Total - AboveQuarter(MemoryAccount.Connections) - AboveQuarter(MemoryAccount.Requests) - Ceiling;

    /// <summary>The bytes in use for one purpose.</summary>
    public long this[MemoryAccount account] => Interlocked.Read(ref _accounts[(int)account]);

    // The two delegates are created once, so that charging a buffer allocates nothing.
    internal Action<int> OnFrameReleased { get; }

    internal Action<int> OnEncodingReleased { get; }

    /// <summary>The encodings that may be evicted.</summary>
    internal EncodingCache Encodings { get; }

    /// <summary>Raised when memory use has fallen a lot. Pools should then free their unused memory.</summary>
    public event Action? Trimming;

    /// <summary>Adds bytes to an account.</summary>
    /// <param name="account">The purpose.</param>
    /// <param name="bytes">The number of bytes; negative to give bytes back.</param>
    public void Add(MemoryAccount account, long bytes)
    {
        Interlocked.Add(ref _accounts[(int)account], bytes);
        var total = Interlocked.Add(ref _total, bytes);
        for (var peak = Peak; total > peak; peak = Peak)
        {
            Interlocked.CompareExchange(ref _peak, total, peak);
        }
    }

    /// <summary>Raises <see cref="Trimming"/>.</summary>
    internal void Trim() => Trimming?.Invoke();

    private long AboveQuarter(MemoryAccount account) => Math.Max(0, this[account] - (Ceiling / 4));
}
