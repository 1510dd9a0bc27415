namespace Sc2Bridge.Streaming.Logging;

/// <summary>The figures of one match, to be printed or written as JSON. Values that were not measured are null.</summary>
/// <param name="Steps">The number of frames that the log received.</param>
/// <param name="Transports">Sizes of messages on the wire, without framing except gRPC's prefix of five bytes.</param>
/// <param name="Codecs">The times of reading and writing in the bridge's process, in microseconds.</param>
/// <param name="Agents">The times that the agents reported.</param>
public sealed record MatchSummary(
    long Steps,
    IReadOnlyList<TransportBytes> Transports,
    IReadOnlyList<CodecLatency> Codecs,
    IReadOnlyList<AgentLatency> Agents);

/// <summary>Sizes of one step's message on one transport, uncompressed.</summary>
/// <param name="Transport"><c>grpc</c>, <c>ws.proto</c> or <c>ws.json</c>.</param>
/// <param name="Measured">The number of steps measured. For JSON, these are only the steps whose codecs were measured.</param>
/// <param name="MinBytes">The smallest message.</param>
/// <param name="MeanBytes">The arithmetic mean, which the rates are based on.</param>
/// <param name="MaxBytes">The largest message.</param>
/// <param name="MbitAt16">Megabits (10^6) a second at 16 steps a second.</param>
/// <param name="MbitAt22">The same at 22.4 steps a second.</param>
public sealed record TransportBytes(
    string Transport, long Measured, double MinBytes, double MeanBytes, double MaxBytes, double MbitAt16,
    double MbitAt22);

/// <summary>The time that one codec takes, in microseconds.</summary>
/// <param name="Codec"><c>protobuf</c>, <c>JSON</c> (the bridge's own) or <c>stock JSON</c>, followed by <c>write</c> or <c>read</c>.</param>
/// <param name="Measured">The number of steps measured.</param>
/// <param name="MinUs">The minimum.</param>
/// <param name="MeanUs">The 25 % trimmed mean: an eighth of the values is dropped at each end.</param>
/// <param name="MaxUs">The maximum.</param>
public sealed record CodecLatency(string Codec, long Measured, double MinUs, double MeanUs, double MaxUs);

/// <summary>The times that one agent reported, in microseconds.</summary>
/// <param name="Agent">The agent's name.</param>
/// <param name="Transport">The transport of its connection.</param>
/// <param name="Read">The time to decode a message; null if the agent did not report it.</param>
/// <param name="DeliveryP50Us">
/// The median time from the game's answer until the agent has the message. Null if the clocks are not known to agree.
/// At rate <c>max</c> with overflow <c>pause</c>, the time includes the wait in the queue.
/// </param>
/// <param name="DeliveryP99Us">The same, 99th percentile.</param>
public sealed record AgentLatency(
    string Agent, string Transport, CodecLatency? Read, double? DeliveryP50Us, double? DeliveryP99Us);
