using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Copies a recording and adds the scene for Foxglove: terrain, units, creep and visibility. Each added message has the
/// time of its observation. The copy writes one chunk without compressing it again, then the messages derived from the
/// chunk, then the next chunk. So it needs memory for one chunk only.
/// </summary>
public sealed class FoxgloveCopy
{
    private static readonly Dictionary<string, string> NoTexts = [];

    private readonly McapFile _file;
    private readonly McapWriter _mcap;
    private readonly MatchScene _scene;
    private readonly ChunkCopy _copy;
    private readonly Dictionary<(TopicKind Kind, uint? Perspective), AddedChannel> _addedChannels = [];

    // By perspective: the images of creep and visibility that were written last.
    private readonly Dictionary<uint, (ImageData? Creep, ImageData? Visibility)> _lastImages = [];
    private long _addedMessages;

    private FoxgloveCopy(McapFile file, McapWriter mcap, MatchScene scene) =>
        (_file, _mcap, _scene, _copy) = (file, mcap, scene, new(file, mcap));

    /// <summary>Copies a recording.</summary>
    /// <param name="path">The recording. It is not changed.</param>
    /// <param name="target">The path of the copy. The file must not exist.</param>
    /// <param name="ct">Cancels copying before the next chunk. The copy is then deleted.</param>
    /// <param name="begun">Called when both files are open.</param>
    /// <returns>The number of added messages.</returns>
    /// <exception cref="RecordingException">
    /// The recording is damaged or already has Foxglove's topics, or the copy cannot be written. No copy remains.
    /// </exception>
    public static long Write(string path, string target, CancellationToken ct, System.Action? begun = null)
    {
        using var recording = RecordingReader.Open(path);
        var scene = new MatchScene(recording.ReadGameInfo(), recording.ReadData());
        var topics = FoxgloveTopic.Derived(recording.Perspectives);
        return new RecordingErrors(recording.Name).Wrap(() =>
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
            return copy._addedMessages;
        });
    }

    private void Declare(IReadOnlyList<FoxgloveTopic> topics)
    {
        var channels = _file.Layout.Channels;
        if (topics.FirstOrDefault(topic => channels.Find(topic.Name) is not null) is { } existing)
        {
            throw new McapException($"it has the topic {existing.Name} already", 0, "give the recording without Foxglove's topics");
        }

        _copy.CopyAttachmentsAndMetadata();
        _copy.Declare();
        int schemaId = channels.Schemas.Select(schema => schema.Id).DefaultIfEmpty().Max();
        int channelId = channels.Channels.Select(channel => channel.Id).DefaultIfEmpty().Max();
        foreach (var same in topics.GroupBy(topic => topic.MessageType))
        {
            var schema = NextId(ref schemaId);
            _mcap.Add(new Schema(schema, same.Key.FullName, McapFormat.Protobuf, ProtobufSchema.Of(same.Key)));
            foreach (var topic in same)
            {
                var channel = NextId(ref channelId);
                _mcap.Add(new Channel(channel, schema, topic.Name, McapFormat.Protobuf, NoTexts));
                _addedChannels[(topic.Kind, topic.Perspective)] = new AddedChannel(channel);
            }
        }
    }

    private static ushort NextId(ref int id) => ++id <= ushort.MaxValue ? (ushort)id : throw new McapException(
        "no numbers are left for Foxglove's schemas and channels", 0,
        "write the file again with lower schema and channel numbers");

    private void Run(CancellationToken ct)
    {
        _file.Chunks.FreeUnreferenced();
        foreach (var region in _file.Layout.Regions)
        {
            ct.ThrowIfCancellationRequested();
            _copy.Load(region);
            _copy.Add(region);
            foreach (var (channel, message) in _copy.Chunk.InOrder())
            {
                if (RecordingFormat.PerspectiveOf(_file.Layout.Channels.Find(channel)!.Topic) is { } perspective)
                {
                    Derive(perspective, message, region);
                }
            }
        }

        _mcap.Finish();
    }

    private void Derive(uint perspective, in MessagePosition message, FileRegion region)
    {
        var data = _copy.Chunk.DataOf(message).Span;
        ParsedSize.Check<ResponseObservation>(data, region.Offset, "an observation");
        DerivedMessages derived;
        try
        {
            derived = _scene.Derive(data, message.LogTime);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new McapException("an observation is not a valid ResponseObservation", region.Offset, innerException: malformed);
        }

        var (creep, visibility) = _lastImages.GetValueOrDefault(perspective);
        if (_lastImages.Count == 0)
        {
            Add(TopicKind.Terrain, null, message, _scene.MakeTerrain(message.LogTime));
        }

        Add(TopicKind.Units, perspective, message, derived.Units);
        Add(TopicKind.Creep, perspective, message, derived.CreepIfChanged(ref creep));
        Add(TopicKind.Visibility, perspective, message, derived.VisibilityIfChanged(ref visibility));
        _lastImages[perspective] = (creep, visibility);
    }

    private void Add(TopicKind kind, uint? perspective, in MessagePosition at, byte[]? message)
    {
        if (message is not null)
        {
            var channel = _addedChannels[(kind, perspective)];
            _mcap.Add(new MessageHead(channel.Id, channel.NextSequence++, at.LogTime, at.PublishTime), message);
            _addedMessages++;
        }
    }

    private sealed class AddedChannel(ushort id)
    {
        public ushort Id { get; } = id;

        public uint NextSequence { get; set; }
    }
}
