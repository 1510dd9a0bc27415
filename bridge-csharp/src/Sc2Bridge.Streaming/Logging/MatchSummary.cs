namespace Sc2Bridge.Streaming.Logging;

/// <summary>The figures of one match, ready to be printed or written as JSON. What was not measured is null.</summary>
/// <param name="Steps">Frames seen by the log.</param>
/// <param name="Transports">Sizes on the wire, without the transport's own framing.</param>
/// <param name="Codecs">Reading and writing in the bridge's process, in microseconds.</param>
/// <param name="Agents">What the agents reported.</param>
public sealed record MatchSummary(
    long Steps,
    IReadOnlyList<TransportBytes> Transports,
    IReadOnlyList<CodecLatency> Codecs,
    IReadOnlyList<AgentLatency> Agents);

/// <summary>Sizes of one step's message on one transport, uncompressed.</summary>
/// <param name="Transport"><c>grpc</c>, <c>ws.proto</c> or <c>ws.json</c>.</param>
/// <param name="Measured">Steps whose message was measured: for JSON only those whose codecs were.</param>
/// <param name="MinBytes">The smallest message.</param>
/// <param name="MeanBytes">The plain mean, which the rates need.</param>
/// <param name="MaxBytes">The largest message.</param>
/// <param name="MbitAt16">Megabits (10^6) a second at 16 steps a second.</param>
/// <param name="MbitAt22">The same at 22.4 steps a second.</param>
public sealed record TransportBytes(
    string Transport, long Measured, double MinBytes, double MeanBytes, double MaxBytes, double MbitAt16,
    double MbitAt22);

/// <summary>How long one codec takes, in microseconds.</summary>
/// <param name="Codec">
/// <c>protobuf</c>, <c>JSON</c> (the bridge's own) or <c>stock JSON</c>, with <c>write</c> or <c>read</c>.
/// </param>
/// <param name="Measured">Steps measured.</param>
/// <param name="MinUs">The least.</param>
/// <param name="MeanUs">The 25 % trimmed mean: an eighth dropped at each end.</param>
/// <param name="MaxUs">The greatest.</param>
public sealed record CodecLatency(string Codec, long Measured, double MinUs, double MeanUs, double MaxUs);

/// <summary>What one agent reported, in microseconds.</summary>
/// <param name="Agent">Its name.</param>
/// <param name="Transport">What it is connected over.</param>
/// <param name="Read">Decoding a message; null where it reported none.</param>
/// <param name="DeliveryP50Us">
/// From the game's answer to the agent holding the message, median; null where clocks are not known to agree. At rate
/// <c>max</c> with <c>pause</c> it measures the queue as well.
/// </param>
/// <param name="DeliveryP99Us">The same, 99th percentile.</param>
public sealed record AgentLatency(
    string Agent, string Transport, CodecLatency? Read, double? DeliveryP50Us, double? DeliveryP99Us);
