namespace Sc2Bridge.Streaming.Logging;

/// <summary>Gathers a match's figures while it runs; thread-safe and bounded in memory.</summary>
public sealed class MatchFigures
{
    /// <summary>The most agents told apart; later ones stand together as <c>(others)</c>.</summary>
    public const int MostAgents = 256;

    // gRPC's prefix of a message: a flag and its length.
    private const int GrpcPrefixLength = 5;

    private readonly Lock _lock = new();
    private readonly Samples _grpc = new();
    private readonly Samples _binary = new();
    private readonly Samples _json = new();
    private readonly Samples _protoWrite = new();
    private readonly Samples _stockWrite = new();
    private readonly Samples _protoRead = new();
    private readonly Samples _stockRead = new();
    private readonly Samples _jsonWrite = new();
    private readonly Samples _jsonRead = new();
    private readonly Dictionary<(string Agent, string Transport), (Samples Read, Samples Delivered)> _agents = [];

    /// <summary>The figures so far.</summary>
    public MatchSummary Summarize()
    {
        lock (_lock)
        {
            return new MatchSummary(
                _binary.Count,
                [.. Bytes("grpc", _grpc), .. Bytes("ws.proto", _binary), .. Bytes("ws.json", _json)],
                [
                    .. Latency("protobuf write", _protoWrite), .. Latency("JSON write", _jsonWrite),
                    .. Latency("stock JSON write", _stockWrite),
                    .. Latency("protobuf read", _protoRead), .. Latency("JSON read", _jsonRead),
                    .. Latency("stock JSON read", _stockRead),
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

    /// <summary>A step's row.</summary>
    /// <param name="row">The row.</param>
    /// <param name="eventBytes">The frame's message, without a transport's framing.</param>
    internal void Add(in StepRow row, int eventBytes)
    {
        lock (_lock)
        {
            _grpc.Add(GrpcPrefixLength + eventBytes);
            _binary.Add(eventBytes);
            Add(_json, row.Codecs.JsonEventBytes);
            Add(_protoWrite, row.ProtoSerializeUs);
            Add(_protoRead, row.ProtoParseUs);
            Add(_stockWrite, row.JsonFormatterUs);
            Add(_stockRead, row.JsonParserUs);
            Add(_jsonWrite, row.Codecs.JsonWriteUs);
            Add(_jsonRead, row.Codecs.JsonParseUs);
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
                transport, samples.Count, samples.Min, samples.Mean, samples.Max, Mbit(samples.Mean, 16),
                Mbit(samples.Mean, 22.4));
        }
    }

    private static double Mbit(double bytes, double stepsPerSecond) => bytes * 8 * stepsPerSecond / 1_000_000;
}
