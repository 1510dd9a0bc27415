namespace Sc2Bridge.Bench;

/// <summary>What light readers beside the measured agent saw, and what they took of the machine.</summary>
/// <param name="Count">How many.</param>
/// <param name="Held">From the game's answer to a reader holding the message, in µs; of all of them.</param>
/// <param name="Cpu">Processors that they kept busy, all together.</param>
internal sealed record ReadersRun(int Count, Distribution? Held, double Cpu);

/// <summary>One measurement, measured once.</summary>
internal sealed record MeasurementRun
{
    // Sender and agent tell for themselves when the warm-up is over: of a frame that is due just then, differently.
    private const int Edges = 1;

    /// <summary>Which (<see cref="Bench.Measurement.Id"/>).</summary>
    public required string Measurement { get; init; }

    public required int Round { get; init; }

    /// <summary>Why there is no result; null where there is one.</summary>
    public string? Problem { get; init; }

    public string Agent { get; init; } = "";

    public int Subscribers { get; init; } = 1;

    /// <summary>Frames that the agent received and that count.</summary>
    public long Frames { get; init; }

    /// <summary>Frames in between that it was not sent.</summary>
    public long Lost { get; init; }

    /// <summary>Frames a second that it received.</summary>
    public double FramesPerSecond { get; init; }

    /// <summary>From the game's answer to the agent holding the message, in µs.</summary>
    public Distribution? Held { get; init; }

    /// <summary>The same to holding it parsed.</summary>
    public Distribution? Parsed { get; init; }

    /// <summary>
    /// What the sender's codec (text, columns, compressing) took for a step, in µs of the clock; null where it cannot be
    /// told: permessage-deflate is made within the WebSocket's own writing.
    /// </summary>
    public double? EncodeUs { get; init; }

    /// <summary>What the agent's codec (decompressing, parsing) took for a frame, in µs of the clock.</summary>
    public double? DecodeUs { get; init; }

    /// <summary>What the sender's codec is of the time to the agent holding the message parsed: from 0 to 1.</summary>
    public double? EncodeShare { get; init; }

    /// <summary>What decompressing and parsing are of that time.</summary>
    public double? DecodeShare { get; init; }

    /// <summary>Frames parsed later than one period after the game's answer, or never: from 0 to 1.</summary>
    public double? Misses { get; init; }

    /// <summary>A message's bytes, in the mean, as the library gave it: the transport's compression undone.</summary>
    public double MessageBytes { get; init; }

    /// <summary>
    /// Bytes on the wire for each frame and subscriber, framing and all compression included; null where the agent fell
    /// behind what was sent, so that the two cannot be set against each other.
    /// </summary>
    public double? WireBytes { get; init; }

    /// <summary>Megabytes (10^6 bytes) a second on the wire to each subscriber.</summary>
    public double MegabytesPerSecond { get; init; }

    /// <summary>Processors that the sender kept busy.</summary>
    public double SenderCpu { get; init; }

    /// <summary>What the sender allocated for a step, in bytes.</summary>
    public double SenderAllocated { get; init; }

    /// <summary>What the sender kept resident at the end, in bytes; one process sends all measurements in turn.</summary>
    public long SenderMemory { get; init; }

    /// <summary>Processors that the agent kept busy.</summary>
    public double AgentCpu { get; init; }

    /// <summary>What the agent kept resident at the end, in bytes.</summary>
    public long AgentMemory { get; init; }

    /// <summary>Light readers; null where there were none.</summary>
    public ReadersRun? Readers { get; init; }

    /// <summary>Sums up what sender, agent and readers told.</summary>
    internal static MeasurementRun Of(Measurement measurement, int round, SendResult sent, ReceiveResult received, ReceiveResult? readers)
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
            Readers = readers is null
                ? null
                : new ReadersRun(
                    measurement.Subscribers - 1,
                    Distribution.Of(readers.HeldUs),
                    readers.Seconds > 0 ? readers.CpuSeconds / readers.Seconds : 0),
        };
    }
}
