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
/// One account of the memory that agents can make the bridge hold, with a ceiling. Encodings are kept while there is
/// room, and given up in the order in which they were made: they can be made again. Thread-safe; an entry costs two
/// interlocked additions.
/// </summary>
public sealed class MemoryLedger
{
    /// <summary>The lowest ceiling that is of use, in bytes: some 250 late frames.</summary>
    public const long LeastCeiling = 64 << 20;

    private readonly Lock _lock = new();
    private readonly long[] _accounts = new long[Enum.GetValues<MemoryAccount>().Length];
    private readonly LinkedList<KeptEncoding> _kept = new();
    private long _total;
    private long _peak;

    /// <param name="ceiling">The most that may be held, in bytes.</param>
    public MemoryLedger(long ceiling)
    {
        Ceiling = ceiling;
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
    /// How much more is held than may be. Connections count for a quarter of the ceiling at most: clients that may not even
    /// subscribe must not take the room of agents' frames. Each connection has bounds of its own.
    /// </summary>
    internal long Excess => Total - Math.Max(0, this[MemoryAccount.Connections] - (Ceiling / 4)) - Ceiling;

    /// <summary>Bytes held for one purpose.</summary>
    public long this[MemoryAccount account] => Interlocked.Read(ref _accounts[(int)account]);

    // Made once, so that charging a buffer allocates nothing.
    internal Action<int> FrameReleased { get; }

    internal Action<int> EncodingReleased { get; }

    // No more than a quarter: most are used by the newest frame's readers and never again.
    private bool KeepsTooMuch => IsOver || this[MemoryAccount.Encodings] > Ceiling / 4;

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

    /// <summary>An encoding is kept with its frame; it, or older ones, are given up where too much is held.</summary>
    internal void Keep(KeptEncoding encoding)
    {
        lock (_lock)
        {
            if (encoding.Place.List is null)
            {
                _kept.AddLast(encoding.Place);
            }
        }

        GiveUpEncodings();
    }

    /// <summary>Its frame is gone.</summary>
    internal void Forget(KeptEncoding encoding)
    {
        lock (_lock)
        {
            encoding.Place.List?.Remove(encoding.Place);
        }
    }

    /// <summary>Gives up encodings, those made first first, until no more is held than may be.</summary>
    internal void GiveUpEncodings()
    {
        while (KeepsTooMuch)
        {
            KeptEncoding oldest;
            lock (_lock)
            {
                if (_kept.First is not { } first)
                {
                    return;
                }

                _kept.Remove(first);
                oldest = first.Value;
            }

            oldest.GiveUp();
        }
    }

    /// <summary>See <see cref="Trimming"/>.</summary>
    internal void Trim() => Trimming?.Invoke();
}
