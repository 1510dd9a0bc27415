using System.Globalization;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// Writes one match as a recording. Chooses the channel and the times of each message (docs/reference/recording-format.md). Times in
/// parameters are nanoseconds of <see cref="MonotonicClock"/>. Not thread-safe.
/// </summary>
internal sealed class RecordingWriter : IDisposable
{
    /// <summary>The maximum time that a chunk is open, in nanoseconds.</summary>
    public const long MaxChunkNs = 2_000_000_000;

    // The maximum number of frames that are neither in the open chunk nor counted by the queue's limit: the frame that is being added,
    // the next frame in the recorder, and two frames that a queue may have above its limit. Each perspective may add one more frame.
    private const int ExtraFrames = 4;

    private static readonly Dictionary<string, string> NoTexts = [];

    private readonly McapWriter _mcap;
    private readonly MessageBuffer _messageBuffer = MessageBuffer.Rent();
    private readonly long _unixOffsetNs;
    private readonly int _maxUnwrittenBytes;
    private readonly Dictionary<string, ushort> _schemas = [];
    private readonly Dictionary<uint, ObservationChannel> _observationChannels = [];
    private readonly ushort _stepsChannel;
    private readonly ushort _requestsChannel;
    private readonly ushort _actionsChannel;
    private readonly ushort _matchChannel;
    private uint _requestRecordCount;
    private uint _actionRecordCount;
    private uint _matchRecordCount;
    private long _openChunkIndex = -1;
    private long _openChunkBeganNs;

    /// <summary>Starts a recording: writes attachments, channels, and the match's description.</summary>
    /// <param name="sink">Receives the file.</param>
    /// <param name="description">The match.</param>
    /// <param name="nowNs">The current time.</param>
    /// <param name="unixOffsetNs">The difference between Unix time and the monotonic clock, in nanoseconds.</param>
    /// <param name="gameInfo">The game info of each perspective whose game info differs from the first perspective's; null for none.</param>
    /// <param name="maxUnwrittenBytes">The maximum bytes in the open chunk and in the queue. These bytes are lost if the process is killed.</param>
    public RecordingWriter(
        IByteSink sink, MatchDescription description, long nowNs, long unixOffsetNs,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo = null, int maxUnwrittenBytes = McapWriter.UsualChunkSize)
    {
        _unixOffsetNs = unixOffsetNs;
        _maxUnwrittenBytes = maxUnwrittenBytes;
        _mcap = new McapWriter(sink, new Header(RecordingFormat.Profile, RecordingFormat.Library), maxUnwrittenBytes);
        Attach(RecordingFormat.GameInfo, description.GameInfo, nowNs);
        foreach (var (perspective, info) in gameInfo ?? new Dictionary<uint, ResponseGameInfo>())
        {
            Attach(RecordingFormat.GameInfoOf(perspective), info, nowNs);
        }

        Attach(RecordingFormat.Data, description.Data, nowNs);
        _mcap.Add(new Metadata(RecordingFormat.Facts, Facts(description)));

        // The first chunk and the summary declare the channels. If both are lost, this metadata still has the topics.
        string[] topics =
        [
            .. description.Perspectives.Select(RecordingFormat.Observations), RecordingFormat.Steps,
            RecordingFormat.Requests, RecordingFormat.Actions, RecordingFormat.Match,
        ];
        _mcap.Add(new Metadata(
            RecordingFormat.Topics, topics.Index().ToDictionary(topic => Format(topic.Index + 1), topic => topic.Item)));
        var channels = topics.ToDictionary(topic => topic, AddChannel);
        foreach (var perspective in description.Perspectives)
        {
            _observationChannels[perspective] = new ObservationChannel(channels[RecordingFormat.Observations(perspective)]);
        }

        _stepsChannel = channels[RecordingFormat.Steps];
        _requestsChannel = channels[RecordingFormat.Requests];
        _actionsChannel = channels[RecordingFormat.Actions];
        _matchChannel = channels[RecordingFormat.Match];
        var start = description.Clone();
        start.GameInfo = null;
        start.Data = null;
        Add(new MatchRecord { Start = start }, nowNs);

        // The description gets its own chunk, so that it survives if the process is killed at any later time.
        _mcap.CloseChunk();
    }

    /// <summary>
    /// The byte limit of the recorder's queue until the next frame. If the limit is negative, the open chunk must be closed before this frame is added.
    /// </summary>
    public long QueueBytesAfter(ObservationFrame frame)
    {
        return _maxUnwrittenBytes - _mcap.OpenBytes - ((ExtraFrames + (long)_observationChannels.Count) * frame.Observation.Length);
    }

    public void Add(ObservationFrame frame)
    {
        var header = frame.Header;
        CloseChunkIfDue(header.ObservedNs);
        if (!_observationChannels.TryGetValue(header.Perspective, out var channel))
        {
            _observationChannels[header.Perspective] = channel =
                new ObservationChannel(AddChannel(RecordingFormat.Observations(header.Perspective)));
        }

        if (QueueBytesAfter(frame) < 0)
        {
            _mcap.CloseChunk();
        }

        // Readers need log times that increase from one message of a channel to the next.
        channel.LastLogTime = Math.Max(channel.LastLogTime + 1, ToUnixNs(header.ObservedNs));
        _mcap.Add(
            new MessageHead(channel.Id, (uint)header.Step, channel.LastLogTime, ToUnixNs(header.RequestedNs)),
            frame.Observation.Span);
    }

    /// <summary>Adds a row of the step log.</summary>
    /// <param name="step">The row.</param>
    /// <param name="nowNs">The time for a row without its own times.</param>
    public void Add(in LoggedStep step, long nowNs) => Add(
        _stepsChannel, (uint)step.Record.Step, step.ObservedNs ?? nowNs, step.RequestedNs ?? nowNs, step.Record);

    /// <summary>Adds an agent's request and its outcome.</summary>
    public void Add(in AgentRequest request) =>
        Add(_requestsChannel, _requestRecordCount++, request.RequestedNs, request.RequestedNs, request.Record);

    /// <summary>Adds an agent's actions and their outcomes.</summary>
    public void Add(in ActionReport action) => Add(_actionsChannel, _actionRecordCount++, action.RequestedNs, action.RequestedNs, action.Record);

    /// <summary>Adds a gap.</summary>
    /// <param name="gap">The gap.</param>
    /// <param name="nowNs">When the gap was found.</param>
    public void Add(Gap gap, long nowNs) => Add(new MatchRecord { Gap = gap }, nowNs);

    /// <summary>Closes the open chunk if it has been open for <see cref="MaxChunkNs"/>.</summary>
    /// <param name="nowNs">The current time.</param>
    public void CloseChunkIfDue(long nowNs)
    {
        if (_mcap.OpenBytes > 0 && _openChunkIndex == _mcap.ChunkCount)
        {
            if (nowNs - _openChunkBeganNs < MaxChunkNs)
            {
                return;
            }

            _mcap.CloseChunk();
        }

        (_openChunkIndex, _openChunkBeganNs) = (_mcap.ChunkCount, nowNs);
    }

    /// <summary>Ends the recording. Nothing can be added afterwards.</summary>
    /// <param name="end">How the match ended; null if unknown.</param>
    /// <param name="nowNs">The current time.</param>
    /// <param name="analysis">The attachment <see cref="RecordingFormat.Analysis"/>; null without an analysis.</param>
    public void Finish(MatchEnd? end, long nowNs, byte[]? analysis = null)
    {
        if (end is not null)
        {
            Add(new MatchRecord { End = end }, nowNs);
        }

        if (analysis is not null)
        {
            Attach(RecordingFormat.Analysis, AnalysisJson.MediaType, analysis, nowNs);
        }

        _mcap.Finish();
    }

    /// <summary>Frees the memory.</summary>
    public void Dispose()
    {
        _mcap.Dispose();
        _messageBuffer.Release();
    }

    private static Dictionary<string, string> Facts(MatchDescription description)
    {
        var facts = new Dictionary<string, string>
        {
            ["map"] = description.MapName,
            ["game"] = description.Simulated ? "simulated" : "StarCraft II",
            ["game_version"] = description.Ping?.GameVersion ?? "",
            ["seed"] = Format(description.Seed),
            ["step_size"] = Format(description.StepSize),
            ["rate"] = description.Realtime ? "realtime" : description.Rate == 0 ? "max" : Format(description.Rate),
        };
        if (description.Replay.Length > 0)
        {
            // A replay does not contain its seed.
            facts.Remove("seed");
            facts["replay"] = description.Replay;
        }

        foreach (var player in description.Players)
        {
            string?[] words = [player.Kind.Words(), player.Race.Words(), player.Difficulty, player.Name];
            facts[$"player_{Format(player.PlayerId)}"] =
                string.Join(' ', words.Where(word => !string.IsNullOrEmpty(word)));
        }

        return facts;
    }

    private static string Format(double number) => number.ToString(CultureInfo.InvariantCulture);

    private void Attach(string name, IMessage? message, long nowNs)
    {
        if (message is not null)
        {
            Attach(name, RecordingFormat.MediaType(message.Descriptor), message.ToByteArray(), nowNs);
        }
    }

    private void Attach(string name, string mediaType, byte[] bytes, long nowNs) =>
        _mcap.Add(new Attachment(ToUnixNs(nowNs), ToUnixNs(nowNs), name, mediaType, bytes));

    // Channels with the same message type share a schema.
    private ushort AddChannel(string topic)
    {
        var message = RecordingFormat.MessageOf(topic)!;
        if (!_schemas.TryGetValue(message.FullName, out var schema))
        {
            _schemas[message.FullName] = schema =
                _mcap.AddSchema(message.FullName, McapFormat.Protobuf, ProtobufSchema.Of(message));
        }

        return _mcap.AddChannel(schema, topic, McapFormat.Protobuf, NoTexts);
    }

    private void Add(MatchRecord record, long nowNs) => Add(_matchChannel, _matchRecordCount++, nowNs, nowNs, record);

    private void Add(ushort channel, uint sequence, long logNs, long publishNs, IMessage message)
    {
        _messageBuffer.Clear();
        message.WriteTo(_messageBuffer);
        _mcap.Add(new MessageHead(channel, sequence, ToUnixNs(logNs), ToUnixNs(publishNs)), _messageBuffer.Written.Span);
    }

    private ulong ToUnixNs(long ns) => (ulong)(ns + _unixOffsetNs);

    private sealed class ObservationChannel(ushort id)
    {
        public ushort Id { get; } = id;

        public ulong LastLogTime { get; set; }
    }
}
