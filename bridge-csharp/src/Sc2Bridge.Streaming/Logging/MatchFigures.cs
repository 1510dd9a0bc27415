namespace Sc2Bridge.Streaming.Logging;

/// <summary>Collects a match's figures while it runs. Thread-safe, with bounded memory.</summary>
public sealed class MatchFigures
{
    /// <summary>The most agents with separate figures. All later agents share one entry, <c>(others)</c>.</summary>
    public const int MostAgents = 256;

    // gRPC's prefix of a message: a flag and the length.
    private const int GrpcPrefixLength = 5;

    private readonly Lock _lock = new();
    private readonly Samples _grpcBytes = new();
    private readonly Samples _wsProtoBytes = new();
    private readonly Samples _wsJsonBytes = new();
    private readonly Samples _protoWriteUs = new();
    private readonly Samples _stockWriteUs = new();
    private readonly Samples _protoReadUs = new();
    private readonly Samples _stockReadUs = new();
    private readonly Samples _jsonWriteUs = new();
    private readonly Samples _jsonReadUs = new();
    private readonly Dictionary<(string Agent, string Transport), (Samples Read, Samples Delivered)> _agents = [];

    /// <summary>The figures so far.</summary>
    public MatchSummary Summarize()
    {
        lock (_lock)
        {
            return new MatchSummary(
                _wsProtoBytes.Count,
                [.. Bytes("grpc", _grpcBytes), .. Bytes("ws.proto", _wsProtoBytes), .. Bytes("ws.json", _wsJsonBytes)],
                [
                    .. Latency("protobuf write", _protoWriteUs), .. Latency("JSON write", _jsonWriteUs),
                    .. Latency("stock JSON write", _stockWriteUs),
                    .. Latency("protobuf read", _protoReadUs), .. Latency("JSON read", _jsonReadUs),
                    .. Latency("stock JSON read", _stockReadUs),
                ],
                [
                    .. _agents.OrderBy(agent => agent.Key.Agent, StringComparer.Ordinal)
                        .Select(agent => new AgentLatency(
                        agent.Key.Agent,
                        agent.Key.Transport,
                        Latency("read", agent.Value.Read).SingleOrDefault(),
                        Percentile(agent.Value.Delivered, 50),
                        Percentile(agent.Value.Delivered, 99))),
                ]);
        }
    }

    /// <summary>Adds the row of a step.</summary>
    /// <param name="row">The row.</param>
    /// <param name="eventBytes">The size of the frame's message in bytes, without a transport's framing.</param>
    internal void Add(in StepRow row, int eventBytes)
    {
        lock (_lock)
        {
            _grpcBytes.Add(GrpcPrefixLength + eventBytes);
            _wsProtoBytes.Add(eventBytes);
            Add(_wsJsonBytes, row.Codecs.JsonEventBytes);
            Add(_protoWriteUs, row.ProtoSerializeUs);
            Add(_protoReadUs, row.ProtoParseUs);
            Add(_stockWriteUs, row.JsonFormatterUs);
            Add(_stockReadUs, row.JsonParserUs);
            Add(_jsonWriteUs, row.Codecs.JsonWriteUs);
            Add(_jsonReadUs, row.Codecs.JsonParseUs);
        }
    }

    internal void AddAgent(string agent, string transport, double? deliveredUs, double? decodeUs)
    {
        lock (_lock)
        {
            var key = (agent, transport);
            if (!_agents.ContainsKey(key) && _agents.Count >= MostAgents)
            {
                key = ("(others)", "");
            }

            if (!_agents.TryGetValue(key, out var samples))
            {
                _agents[key] = samples = (new Samples(), new Samples());
            }

            Add(samples.Delivered, deliveredUs);
            Add(samples.Read, decodeUs);
        }
    }

    private static void Add(Samples samples, double? value)
    {
        if (value is { } measured)
        {
            samples.Add(measured);
        }
    }

    private static double? Percentile(Samples samples, double percent) =>
        samples.Count == 0 ? null : samples.Percentile(percent);

    private static IEnumerable<CodecLatency> Latency(string codec, Samples samples)
    {
        if (samples.Count > 0)
        {
            yield return new CodecLatency(codec, samples.Count, samples.Min, samples.TrimmedMean(), samples.Max);
        }
    }

    private static IEnumerable<TransportBytes> Bytes(string transport, Samples samples)
    {
        if (samples.Count > 0)
        {
            yield return new TransportBytes(
                transport, samples.Count, samples.Min, samples.Mean, samples.Max, MegabitsPerSecond(samples.Mean, 16),
                MegabitsPerSecond(samples.Mean, 22.4));
        }
    }

    private static double MegabitsPerSecond(double bytes, double stepsPerSecond) => bytes * 8 * stepsPerSecond / 1_000_000;
}
