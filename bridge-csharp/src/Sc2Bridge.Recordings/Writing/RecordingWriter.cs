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
/// Writes one match as a recording: which message goes on which channel, with which times (docs/reference/recording-format.md). Times
/// come in nanoseconds of <see cref="MonotonicClock"/>. Not thread-safe.
/// </summary>
internal sealed class RecordingWriter : IDisposable
{
    /// <summary>How long a chunk may be open, in nanoseconds.</summary>
    public const long ChunkNs = 2_000_000_000;

    // Frames beside a chunk and the queue's bound: the one that is added, the next in the recorder's hands, and two that a
    // queue may hold whatever its bound is; with it, one of each perspective stands past it.
    private const int FramesBeside = 4;

    private static readonly Dictionary<string, string> NoTexts = [];

    private readonly McapWriter _mcap;
    private readonly MessageBuffer _message = MessageBuffer.Rent();
    private readonly long _unixOffsetNs;
    private readonly int _mostLost;
    private readonly Dictionary<string, ushort> _schemas = [];
    private readonly Dictionary<uint, Observations> _observations = [];
    private readonly ushort _steps;
    private readonly ushort _requests;
    private readonly ushort _actions;
    private readonly ushort _match;
    private uint _requestCount;
    private uint _actionCount;
    private uint _matchCount;
    private long _chunkCount = -1;
    private long _chunkBeganNs;

    /// <summary>Begins a recording: attachments, channels, and the match's description.</summary>
    /// <param name="sink">Where it goes.</param>
    /// <param name="description">The match.</param>
    /// <param name="nowNs">When that is.</param>
    /// <param name="unixOffsetNs">What makes Unix time of a time, in nanoseconds.</param>
    /// <param name="gameInfo">The match as other perspectives' games tell of it, where that is not the same.</param>
    /// <param name="mostLost">The bytes of a chunk and of what waits behind it, which are lost with a killed process.</param>
    public RecordingWriter(
        IByteSink sink, MatchDescription description, long nowNs, long unixOffsetNs,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo = null, int mostLost = McapWriter.UsualChunkSize)
    {
        _unixOffsetNs = unixOffsetNs;
        _mostLost = mostLost;
        _mcap = new McapWriter(sink, new Header(RecordingFormat.Profile, RecordingFormat.Library), mostLost);
        Attach(RecordingFormat.GameInfo, description.GameInfo, nowNs);
        foreach (var (perspective, info) in gameInfo ?? new Dictionary<uint, ResponseGameInfo>())
        {
            Attach(RecordingFormat.GameInfoOf(perspective), info, nowNs);
        }

        Attach(RecordingFormat.Data, description.Data, nowNs);
        _mcap.Add(new Metadata(RecordingFormat.Facts, Facts(description)));

        // Channels are declared in the first chunk and in the summary: of a file that has lost both this tells of them.
        string[] topics =
        [
            .. description.Perspectives.Select(RecordingFormat.Observations), RecordingFormat.Steps,
            RecordingFormat.Requests, RecordingFormat.Actions, RecordingFormat.Match,
        ];
        _mcap.Add(new Metadata(
            RecordingFormat.Topics, topics.Index().ToDictionary(topic => Number(topic.Index + 1), topic => topic.Item)));
        var channels = topics.ToDictionary(topic => topic, AddChannel);
        foreach (var perspective in description.Perspectives)
        {
            _observations[perspective] = new Observations(channels[RecordingFormat.Observations(perspective)]);
        }

        _steps = channels[RecordingFormat.Steps];
        _requests = channels[RecordingFormat.Requests];
        _actions = channels[RecordingFormat.Actions];
        _match = channels[RecordingFormat.Match];
        var start = description.Clone();
        start.GameInfo = null;
        start.Data = null;
        Add(new MatchRecord { Start = start }, nowNs);

        // On its own: whenever this is killed from now on, what is left tells of the match.
        _mcap.CloseChunk();
    }

    /// <summary>
    /// The bytes that may wait while a frame is added, and until the next one is; where there is no room the chunk is closed.
    /// </summary>
    public long RoomBehind(ObservationFrame frame)
    {
        return _mostLost - _mcap.OpenBytes - ((FramesBeside + (long)_observations.Count) * frame.Observation.Length);
    }

    public void Add(ObservationFrame frame)
    {
        var header = frame.Header;
        CloseChunkIfDue(header.ObservedNs);
        if (!_observations.TryGetValue(header.Perspective, out var channel))
        {
            _observations[header.Perspective] = channel =
                new Observations(AddChannel(RecordingFormat.Observations(header.Perspective)));
        }

        if (RoomBehind(frame) < 0)
        {
            _mcap.CloseChunk();
        }

        // A reader is promised that times grow along the channel.
        channel.LogTime = Math.Max(channel.LogTime + 1, Unix(header.ObservedNs));
        _mcap.Add(
            new MessageHead(channel.Id, (uint)header.Step, channel.LogTime, Unix(header.RequestedNs)),
            frame.Observation.Span);
    }

    /// <summary>Adds a row of the step log.</summary>
    /// <param name="step">The row.</param>
    /// <param name="nowNs">Stands for the times of a row that has none.</param>
    public void Add(in LoggedStep step, long nowNs) => Add(
        _steps, (uint)step.Record.Step, step.ObservedNs ?? nowNs, step.RequestedNs ?? nowNs, step.Record);

    /// <summary>Adds what an agent asked, and what came of it.</summary>
    public void Add(in AgentRequest request) =>
        Add(_requests, _requestCount++, request.RequestedNs, request.RequestedNs, request.Record);

    /// <summary>Adds what an agent had its player do, and what came of it.</summary>
    public void Add(in ActionReport action) => Add(_actions, _actionCount++, action.RequestedNs, action.RequestedNs, action.Record);

    /// <summary>Tells that observations are missing here.</summary>
    /// <param name="gap">Which and why.</param>
    /// <param name="nowNs">When that was known.</param>
    public void Add(Gap gap, long nowNs) => Add(new MatchRecord { Gap = gap }, nowNs);

    /// <summary>Ends the chunk that is open where it has been for <see cref="ChunkNs"/>.</summary>
    /// <param name="nowNs">The time.</param>
    public void CloseChunkIfDue(long nowNs)
    {
        if (_mcap.OpenBytes > 0 && _chunkCount == _mcap.ChunkCount)
        {
            if (nowNs - _chunkBeganNs < ChunkNs)
            {
                return;
            }

            _mcap.CloseChunk();
        }

        (_chunkCount, _chunkBeganNs) = (_mcap.ChunkCount, nowNs);
    }

    /// <summary>Ends the recording; nothing can be added any more.</summary>
    /// <param name="end">How the match ended; null where that is not known.</param>
    /// <param name="nowNs">When.</param>
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

    /// <summary>Frees what it holds.</summary>
    public void Dispose()
    {
        _mcap.Dispose();
        _message.Release();
    }

    private static Dictionary<string, string> Facts(MatchDescription description)
    {
        var facts = new Dictionary<string, string>
        {
            ["map"] = description.MapName,
            ["game"] = description.Simulated ? "simulated" : "StarCraft II",
            ["game_version"] = description.Ping?.GameVersion ?? "",
            ["seed"] = Number(description.Seed),
            ["step_size"] = Number(description.StepSize),
            ["rate"] = description.Realtime ? "realtime" : description.Rate == 0 ? "max" : Number(description.Rate),
        };
        if (description.Replay.Length > 0)
        {
            // Which seed it was is not told.
            facts.Remove("seed");
            facts["replay"] = description.Replay;
        }

        foreach (var player in description.Players)
        {
            string?[] words = [player.Kind.Words(), player.Race.Words(), player.Difficulty, player.Name];
            facts[$"player_{Number(player.PlayerId)}"] =
                string.Join(' ', words.Where(word => !string.IsNullOrEmpty(word)));
        }

        return facts;
    }

    private static string Number(double number) => number.ToString(CultureInfo.InvariantCulture);

    private void Attach(string name, IMessage? message, long nowNs)
    {
        if (message is not null)
        {
            Attach(name, RecordingFormat.MediaType(message.Descriptor), message.ToByteArray(), nowNs);
        }
    }

    private void Attach(string name, string mediaType, byte[] bytes, long nowNs) =>
        _mcap.Add(new Attachment(Unix(nowNs), Unix(nowNs), name, mediaType, bytes));

    // Channels of the same messages share their schema.
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

    private void Add(MatchRecord record, long nowNs) => Add(_match, _matchCount++, nowNs, nowNs, record);

    private void Add(ushort channel, uint sequence, long logNs, long publishNs, IMessage message)
    {
        _message.Clear();
        message.WriteTo(_message);
        _mcap.Add(new MessageHead(channel, sequence, Unix(logNs), Unix(publishNs)), _message.Written.Span);
    }

    private ulong Unix(long ns) => (ulong)(ns + _unixOffsetNs);

    private sealed class Observations(ushort id)
    {
        public ushort Id { get; } = id;

        public ulong LogTime { get; set; }
    }
}
