using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Copies a recording and adds what Foxglove shows as a scene: terrain, units, creep and visibility, each message with
/// the time of its observation. Chunks are copied as they are, each followed by what is derived of it: memory is bounded
/// by a chunk.
/// </summary>
public sealed class FoxgloveCopy
{
    private static readonly Dictionary<string, string> NoTexts = [];

    private readonly McapFile _file;
    private readonly McapWriter _mcap;
    private readonly MatchScene _scene;
    private readonly ChunkCopy _copy;
    private readonly Dictionary<(TopicKind Kind, uint? Perspective), Added> _added = [];

    // By perspective, what was written last.
    private readonly Dictionary<uint, (ImageData? Creep, ImageData? Visibility)> _shown = [];
    private long _messages;

    private FoxgloveCopy(McapFile file, McapWriter mcap, MatchScene scene) =>
        (_file, _mcap, _scene, _copy) = (file, mcap, scene, new(file, mcap));

    /// <summary>Writes the copy.</summary>
    /// <param name="path">The recording; only read.</param>
    /// <param name="target">The copy; must not be there yet.</param>
    /// <param name="ct">Stops it, before the next chunk; the copy is not left behind then.</param>
    /// <param name="begun">Called when both files are open.</param>
    /// <returns>How many messages were added.</returns>
    /// <exception cref="RecordingException">
    /// The recording is damaged or has these topics already, or the copy cannot be written; it is not left behind then.
    /// </exception>
    public static long Write(string path, string target, CancellationToken ct, System.Action? begun = null)
    {
        using var recording = RecordingReader.Open(path);
        var scene = new MatchScene(recording.ReadGameInfo(), recording.ReadData());
        var topics = FoxgloveTopic.Derived(recording.Perspectives);
        return new RecordingErrors(recording.Name).Told(() =>
        {
            if (recording.File.Layout.Problem is { } damage)
            {
                throw damage;
            }

            using var sink = new FileSink(target);
            begun?.Invoke();
            using var mcap = new McapWriter(sink, recording.File.Layout.Header);
            var copy = new FoxgloveCopy(recording.File, mcap, scene);
            copy.Declare(topics);
            copy.Run(ct);
            sink.Keep();
            return copy._messages;
        });
    }

    private void Declare(IReadOnlyList<FoxgloveTopic> topics)
    {
        var channels = _file.Layout.Channels;
        if (topics.FirstOrDefault(topic => channels.Find(topic.Name) is not null) is { } there)
        {
            throw new McapException($"it has {there.Name} already", 0, "give the recording that it is a copy of");
        }

        _copy.AddAttached();
        _copy.Declare();
        int schemaId = channels.Schemas.Select(schema => schema.Id).DefaultIfEmpty().Max();
        int channelId = channels.Channels.Select(channel => channel.Id).DefaultIfEmpty().Max();
        foreach (var same in topics.GroupBy(topic => topic.Message))
        {
            var schema = Next(ref schemaId);
            _mcap.Add(new Schema(schema, same.Key.FullName, McapFormat.Protobuf, ProtobufSchema.Of(same.Key)));
            foreach (var topic in same)
            {
                var channel = Next(ref channelId);
                _mcap.Add(new Channel(channel, schema, topic.Name, McapFormat.Protobuf, NoTexts));
                _added[(topic.Kind, topic.Perspective)] = new Added(channel);
            }
        }
    }

    private static ushort Next(ref int id) => ++id <= ushort.MaxValue ? (ushort)id : throw new McapException(
        "its schemas or channels have the highest number that there is, and leave none for Foxglove's", 0,
        "write it with lower numbers");

    private void Run(CancellationToken ct)
    {
        _file.Chunks.Forget();
        foreach (var place in _file.Layout.Places)
        {
            ct.ThrowIfCancellationRequested();
            _copy.Load(place);
            _copy.Add(place);
            foreach (var (channel, message) in _copy.Chunk.InOrder())
            {
                if (RecordingFormat.PerspectiveOf(_file.Layout.Channels.Find(channel)!.Topic) is { } perspective)
                {
                    Derive(perspective, message, place);
                }
            }
        }

        _mcap.Finish();
    }

    private void Derive(uint perspective, in MessagePlace message, ChunkPlace place)
    {
        var data = _copy.Chunk.DataOf(message).Span;
        ParsedSize.Check<ResponseObservation>(data, place.Offset, "an observation");
        DerivedMessages derived;
        try
        {
            derived = _scene.Derive(data, message.LogTime);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new McapException("an observation is none", place.Offset, innerException: malformed);
        }

        var (creep, visibility) = _shown.GetValueOrDefault(perspective);
        if (_shown.Count == 0)
        {
            Add(TopicKind.Terrain, null, message, _scene.Terrain(message.LogTime));
        }

        Add(TopicKind.Units, perspective, message, derived.Units);
        Add(TopicKind.Creep, perspective, message, derived.CreepAfter(ref creep));
        Add(TopicKind.Visibility, perspective, message, derived.VisibilityAfter(ref visibility));
        _shown[perspective] = (creep, visibility);
    }

    private void Add(TopicKind kind, uint? perspective, in MessagePlace at, byte[]? message)
    {
        if (message is not null)
        {
            var channel = _added[(kind, perspective)];
            _mcap.Add(new MessageHead(channel.Id, channel.Count++, at.LogTime, at.PublishTime), message);
            _messages++;
        }
    }

    private sealed class Added(ushort id)
    {
        public ushort Id { get; } = id;

        public uint Count { get; set; }
    }
}
