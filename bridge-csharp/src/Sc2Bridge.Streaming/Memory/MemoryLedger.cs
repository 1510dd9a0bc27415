namespace Sc2Bridge.Streaming;

/// <summary>What memory is held for.</summary>
public enum MemoryAccount
{
    /// <summary>Observations.</summary>
    Frames,

    /// <summary>What was made of them for subscribers, and the streams of compression.</summary>
    Encodings,

    /// <summary>What subscribers' queues hold beside frames: notices, outcomes, sums of skipped frames.</summary>
    Queues,

    /// <summary>Connections, and what waits for their sockets.</summary>
    Connections,

    /// <summary>Clients' requests, and their answers until they are written.</summary>
    Requests,

    /// <summary>What subscribers' streams take, whether or not anything waits in them.</summary>
    Subscribers,

    /// <summary>What waits for a recording's disk, beside frames.</summary>
    Recorder,

    /// <summary>Events and lines that wait for logs.</summary>
    Log,
}

/// <summary>
/// One account of the memory that agents can make the bridge hold, with a ceiling. Thread-safe; an entry costs two interlocked
/// additions.
/// </summary>
public sealed class MemoryLedger
{
    /// <summary>The lowest ceiling that is of use, in bytes: some 250 late frames.</summary>
    public const long LeastCeiling = 64 << 20;

    private readonly long[] _accounts = new long[Enum.GetValues<MemoryAccount>().Length];
    private long _total;
    private long _peak;

    /// <param name="ceiling">The most that may be held, in bytes.</param>
    public MemoryLedger(long ceiling)
    {
        Ceiling = ceiling;
        Encodings = new EncodingCache(this);
        FrameReleased = bytes => Add(MemoryAccount.Frames, -bytes);
        EncodingReleased = bytes => Add(MemoryAccount.Encodings, -bytes);
    }

    /// <summary>
    /// Half of what the machine, the container or the limit of the garbage-collected heap gives this process: pools,
    /// sockets and the runtime have the rest.
    /// </summary>
    public static long DefaultCeiling => Math.Max(LeastCeiling, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 2);

    /// <summary>The most that may be held, in bytes.</summary>
    public long Ceiling { get; }

    /// <summary>Bytes held.</summary>
    public long Total => Interlocked.Read(ref _total);

    /// <summary>The most bytes that were held.</summary>
    public long Peak => Interlocked.Read(ref _peak);

    /// <summary>Whether more is held than may be.</summary>
    public bool IsOver => Excess > 0;

    /// <summary>
    /// How much more is held than may be. Connections count for a quarter of the ceiling at most, and so do requests: clients that
    /// may not even subscribe must not take the room of agents' frames. Each connection has bounds of its own.
    /// </summary>
    internal long Excess => Total - AboveQuarter(MemoryAccount.Connections) - AboveQuarter(MemoryAccount.Requests) - Ceiling;

    /// <summary>Bytes held for one purpose.</summary>
    public long this[MemoryAccount account] => Interlocked.Read(ref _accounts[(int)account]);

    // Made once, so that charging a buffer allocates nothing.
    internal Action<int> FrameReleased { get; }

    internal Action<int> EncodingReleased { get; }

    /// <summary>The encodings that may be given up.</summary>
    internal EncodingCache Encodings { get; }

    /// <summary>Raised when much less is held than before: pools let go of what they keep.</summary>
    public event Action? Trimming;

    /// <summary>Enters bytes.</summary>
    /// <param name="account">What for.</param>
    /// <param name="bytes">How many more; negative where they are given back.</param>
    public void Add(MemoryAccount account, long bytes)
    {
        Interlocked.Add(ref _accounts[(int)account], bytes);
        var total = Interlocked.Add(ref _total, bytes);
        for (var peak = Peak; total > peak; peak = Peak)
        {
            Interlocked.CompareExchange(ref _peak, total, peak);
        }
    }

    /// <summary>See <see cref="Trimming"/>.</summary>
    internal void Trim() => Trimming?.Invoke();

    private long AboveQuarter(MemoryAccount account) => Math.Max(0, this[account] - (Ceiling / 4));
}
