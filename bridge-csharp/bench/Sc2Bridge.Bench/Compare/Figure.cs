namespace Sc2Bridge.Bench;

/// <summary>One figure of every measurement, as the JSON has it.</summary>
/// <param name="Key">Its name, with its unit.</param>
/// <param name="Get">Reads it from a run. Null if it was not measured.</param>
internal sealed record Figure(string Key, Func<MeasurementRun, double?> Get)
{
    /// <summary>The time until the agent has the message: the median.</summary>
    public static Figure HeldP50 { get; } = new("held_p50_us", run => run.Held?.P50);

    public static Figure ParsedP50 { get; } = new("parsed_p50_us", run => run.Parsed?.P50);

    /// <summary>The time until the message is parsed: the 99th percentile.</summary>
    public static Figure ParsedP99 { get; } = new("parsed_p99_us", run => run.Parsed?.P99);

    /// <summary>The bridge's share of codec time: text, columns, compressing.</summary>
    public static Figure Encode { get; } = new("bridge_codec_us_a_frame", run => run.EncodeUs);

    /// <summary>The agent's share of codec time: decompressing, parsing.</summary>
    public static Figure Decode { get; } = new("agent_codec_us_a_frame", run => run.DecodeUs);

    /// <summary>Both as a part of the time from the game's answer until the agent has the message parsed.</summary>
    public static Figure Codec { get; } = new("codec_percent", run => (run.EncodeShare + run.DecodeShare) * 100);

    /// <summary>Frames that arrived too late or never.</summary>
    public static Figure Misses { get; } = new("misses_percent", run => run.Misses * 100);

    public static Figure Wire { get; } = new("wire_kib_a_frame", run => (run.WireBytes ?? run.MessageBytes) / 1024);

    public static Figure Mbit { get; } = new("mbit_a_second", run => run.MegabytesPerSecond * 8);

    /// <summary>The sender's share of one processor.</summary>
    public static Figure SenderCpu { get; } = new("bridge_cpu_percent", run => run.SenderCpu * 100);

    /// <summary>The agent's share of one processor.</summary>
    public static Figure AgentCpu { get; } = new("agent_cpu_percent", run => run.AgentCpu * 100);

    /// <summary>The time until a light subscriber has the message: the 99th percentile.</summary>
    public static Figure SubscribersHeldP99 { get; } = new("subscribers_held_p99_us", run => run.LightSubscribers?.Held?.P99);

    private static IReadOnlyList<Figure> All { get; } =
    [
        new("frames_a_second", run => run.FramesPerSecond),
        HeldP50,
        new("held_p90_us", run => run.Held?.P90),
        new("held_p99_us", run => run.Held?.P99),
        new("held_max_us", run => run.Held?.Max),
        new("held_jitter_us", run => run.Held?.Jitter),
        ParsedP50,
        new("parsed_p90_us", run => run.Parsed?.P90),
        ParsedP99,
        new("parsed_max_us", run => run.Parsed?.Max),
        new("parsed_jitter_us", run => run.Parsed?.Jitter),
        Misses,
        Encode,
        Decode,
        Codec,
        Wire,
        Mbit,
        SenderCpu,
        new("bridge_cpu_ms_a_mb", run => PerMegabyte(run.SenderCpu, run, run.Subscribers)),
        new("bridge_allocated_bytes_a_step", run => run.SenderAllocated),
        new("bridge_memory_mib", run => run.SenderMemory / 1048576.0),
        AgentCpu,
        new("agent_cpu_ms_a_mb", run => PerMegabyte(run.AgentCpu, run)),
        new("agent_memory_mib", run => run.AgentMemory / 1048576.0),
        new("subscribers_held_p50_us", run => run.LightSubscribers?.Held?.P50),
        SubscribersHeldP99,
        new("subscribers_cpu_percent", run => run.LightSubscribers?.Cpu * 100),
    ];

    /// <summary>The measured figures of some rounds, by key.</summary>
    public static Dictionary<string, Spread> Spreads(List<MeasurementRun> runs) => All
        .Select(figure => (figure.Key, Values: runs.Select(figure.Get).OfType<double>().Where(double.IsFinite).ToList()))
        .Where(figure => figure.Values.Count > 0)
        .ToDictionary(figure => figure.Key, figure => Spread.Of(figure.Values));

    private static double? PerMegabyte(double cpu, MeasurementRun run, int copies = 1) =>
        run.MegabytesPerSecond > 0 ? cpu * 1000 / (run.MegabytesPerSecond * copies) : null;
}
