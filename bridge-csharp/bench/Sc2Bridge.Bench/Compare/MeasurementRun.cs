namespace Sc2Bridge.Bench;

/// <summary>The results of the light subscribers next to the measured agent.</summary>
/// <param name="Count">Number of light subscribers.</param>
/// <param name="Held">Time from the game's answer until a light subscriber has the message, in µs, over all of them.</param>
/// <param name="Cpu">Processors that they kept busy together.</param>
internal sealed record LightSubscribersRun(int Count, Distribution? Held, double Cpu);

/// <summary>One measurement in one round.</summary>
internal sealed record MeasurementRun
{
    // Sender and agent decide separately when the warm-up is over. They may disagree about a frame that is due at that moment.
    private const int Edges = 1;

    /// <summary>The id of the measurement (<see cref="Bench.Measurement.Id"/>).</summary>
    public required string Measurement { get; init; }

    public required int Round { get; init; }

    /// <summary>Why there is no result. Null if there is one.</summary>
    public string? Problem { get; init; }

    public string Agent { get; init; } = "";

    public int Subscribers { get; init; } = 1;

    /// <summary>Counted frames that the agent received.</summary>
    public long Frames { get; init; }

    /// <summary>Frames between them that the agent was not sent.</summary>
    public long Lost { get; init; }

    /// <summary>Frames a second that it received.</summary>
    public double FramesPerSecond { get; init; }

    /// <summary>Time from the game's answer until the agent has the message, in µs.</summary>
    public Distribution? Held { get; init; }

    /// <summary>Time until the agent has parsed it, in µs.</summary>
    public Distribution? Parsed { get; init; }

    /// <summary>
    /// Wall time of the sender's codec (text, columns, compressing) for a step, in µs. Null if it cannot be measured:
    /// permessage-deflate runs inside the WebSocket's write.
    /// </summary>
    public double? EncodeUs { get; init; }

    /// <summary>Wall time of the agent's codec (decompressing, parsing) for a frame, in µs.</summary>
    public double? DecodeUs { get; init; }

    /// <summary>The sender's codec as a part of the time until the agent has the message parsed: from 0 to 1.</summary>
    public double? EncodeShare { get; init; }

    /// <summary>Decompressing and parsing as a part of that time.</summary>
    public double? DecodeShare { get; init; }

    /// <summary>Frames parsed later than one period after the game's answer, or never: from 0 to 1.</summary>
    public double? Misses { get; init; }

    /// <summary>The mean size of a message in the library, after the transport has decompressed it.</summary>
    public double MessageBytes { get; init; }

    /// <summary>
    /// Bytes on the wire for each frame and subscriber, including framing and compression. Null if the agent fell behind,
    /// because frames sent and frames received then differ.
    /// </summary>
    public double? WireBytes { get; init; }

    /// <summary>Megabytes (10^6 bytes) a second on the wire to each subscriber.</summary>
    public double MegabytesPerSecond { get; init; }

    /// <summary>Processors that the sender kept busy.</summary>
    public double SenderCpu { get; init; }

    /// <summary>Bytes that the sender allocated for a step.</summary>
    public double SenderAllocated { get; init; }

    /// <summary>The sender's resident memory at the end, in bytes. One process sends all measurements in turn.</summary>
    public long SenderMemory { get; init; }

    /// <summary>Processors that the agent kept busy.</summary>
    public double AgentCpu { get; init; }

    /// <summary>The agent's resident memory at the end, in bytes.</summary>
    public long AgentMemory { get; init; }

    /// <summary>Light subscribers. Null without any.</summary>
    public LightSubscribersRun? LightSubscribers { get; init; }

    /// <summary>Combines the results of sender, agent and light subscribers.</summary>
    internal static MeasurementRun Of(Measurement measurement, int round, SendResult sent, ReceiveResult received, ReceiveResult? subscribers)
    {
        var rate = received.Seconds > 0 ? (received.HeldUs.Length - 1) / received.Seconds : 0;
        var messageBytes = received.Bytes.Length > 0 ? received.Bytes.Average() : 0;
        var known = received.ParsedUs.Length + received.Lost;
        var keepsUp = sent.Steps - known <= Edges;
        double? encodeUs = measurement is { Packing: Packing.Deflate, Mode: not Mode.Grpc } || sent.Steps == 0
            ? null
            : sent.EncodingSeconds * 1e6 / sent.Steps;
        return new MeasurementRun
        {
            Measurement = measurement.Id,
            Round = round,
            Agent = received.Agent,
            Subscribers = measurement.Subscribers,
            Frames = received.HeldUs.Length,
            Lost = received.Lost,
            FramesPerSecond = rate,
            Held = Distribution.Of(received.HeldUs),
            Parsed = Distribution.Of(received.ParsedUs),
            EncodeUs = encodeUs,
            DecodeUs = received.DecodeUs.Length > 0 ? received.DecodeUs.Average() : null,
            EncodeShare = received.ParsedUs.Length > 0 ? encodeUs / received.ParsedUs.Average() : null,
            DecodeShare = received.DecodeUs.Length > 0 ? received.DecodeUs.Sum() / received.ParsedUs.Sum() : null,
            Misses = measurement.PeriodUs is { } period && Math.Max(known, keepsUp ? 0 : sent.Steps) is > 0 and var all
                ? 1 - (received.ParsedUs.Count(us => us <= period) / (double)all)
                : null,
            MessageBytes = messageBytes,
            WireBytes = sent.WireBytes > 0 && sent.Steps > 0 && keepsUp && received.Lost == 0
                ? (double)sent.WireBytes / sent.Steps / measurement.Subscribers
                : null,
            MegabytesPerSecond = sent.WireBytes > 0
                ? sent.WireBytes.Value / sent.Seconds / measurement.Subscribers / 1e6
                : messageBytes * rate / 1e6,
            SenderCpu = sent.CpuSeconds / sent.Seconds,
            SenderAllocated = (double)sent.AllocatedBytes / Math.Max(1, sent.Steps),
            SenderMemory = sent.MemoryBytes,
            AgentCpu = received.Seconds > 0 ? received.CpuSeconds / received.Seconds : 0,
            AgentMemory = received.MemoryBytes,
            LightSubscribers = subscribers is null
                ? null
                : new LightSubscribersRun(
                    measurement.Subscribers - 1,
                    Distribution.Of(subscribers.HeldUs),
                    subscribers.Seconds > 0 ? subscribers.CpuSeconds / subscribers.Seconds : 0),
        };
    }
}
