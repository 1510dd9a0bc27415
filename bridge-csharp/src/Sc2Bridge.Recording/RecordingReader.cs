using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recording.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recording;

/// <summary>
/// A recording that is open: an MCAP file with the channels of docs/recordings.md, written by this project or another.
/// What the match is, is read at once; observations as they are asked for, a chunk at a time, so that memory is bounded
/// by a chunk or two and not by the file. A file without a summary (a recording that was cut off, or is still written)
/// is read up to its last whole chunk. For one thread at a time.
/// </summary>
/// <remarks>Every failure is a <see cref="RecordingException"/> with one clear line.</remarks>
public sealed class RecordingReader : IDisposable
{
    private const string ObservationSchema = "SC2APIProtocol.ResponseObservation";

    private readonly IRecordingBytes _bytes;
    private readonly RecordingErrors _errors;
    private readonly McapLayout _layout;
    private readonly ChunkLoader _loader;
    private readonly ChunkHeads _heads;
    private readonly ChunkStore _store;
    private readonly SortedDictionary<uint, Channel> _observations = [];
    private readonly Dictionary<uint, (ChannelSearch Search, ChannelCounts Counts)> _known = [];

    private RecordingReader(IRecordingBytes bytes, RecordingErrors errors)
    {
        _bytes = bytes;
        _errors = errors;
        _layout = McapWalker.Walk(bytes);
        _loader = new ChunkLoader(bytes, _layout.Channels);
        _heads = new ChunkHeads(bytes, _loader);
        _store = new ChunkStore(_layout.Places, _loader);
        try
        {
            Declare();
            Description = ReadDescription();
        }
        catch
        {
            // The bytes are the caller's as long as this fails.
            _heads.Dispose();
            _loader.Dispose();
            throw;
        }
    }

    /// <summary>The file, as it was named.</summary>
    public string Name => _bytes.Name;

    /// <summary>Bytes of the file when it was opened.</summary>
    public long FileLength => _bytes.Length;

    /// <summary>Who wrote it, as the file says.</summary>
    public string Library => _layout.Header.Library;

    /// <summary>
    /// Why the file is not whole, in one line that says what to do; null where nothing of that was seen yet. Readers end
    /// where it ends, or throw where something stands behind the damage.
    /// </summary>
    public string? Problem => _layout.Problem is { } problem ? _errors.Line(problem) : null;

    /// <summary>
    /// The match, without <c>game_info</c> and <c>data</c> (see <see cref="ReadGameInfo"/>). Of a file of others that does
    /// not tell of the match, its perspectives alone.
    /// </summary>
    public MatchDescription Description { get; }

    /// <summary>Whose observations there are: player ids, 0 for an observer of all.</summary>
    public IReadOnlyCollection<uint> Perspectives => _observations.Keys;

    /// <summary>Opens a file.</summary>
    /// <param name="path">Where it is.</param>
    /// <exception cref="RecordingException">
    /// It is no recording, or damaged where it says what it is; nothing of it can be read.
    /// </exception>
    public static RecordingReader Open(string path) => Open(new RecordingFile(path));

    /// <summary>Opens any bytes, which are taken over.</summary>
    /// <exception cref="RecordingException">As of a file.</exception>
    internal static RecordingReader Open(IRecordingBytes bytes)
    {
        var errors = new RecordingErrors(bytes.Name);
        try
        {
            return new RecordingReader(bytes, errors);
        }
        catch (Exception error)
        {
            bytes.Dispose();
            if (RecordingErrors.IsOfFile(error))
            {
                throw errors.Of(error);
            }

            throw;
        }
    }

    /// <summary>Reads observations from the first on, those of several perspectives together.</summary>
    /// <param name="perspectives">Whose; none for all that there are.</param>
    /// <returns>A reader to dispose; several may be in use, in turns.</returns>
    /// <exception cref="RecordingException">There are no observations of one of them.</exception>
    public ObservationReader Observations(params IReadOnlyCollection<uint> perspectives)
    {
        ArgumentNullException.ThrowIfNull(perspectives);
        var wanted = perspectives.Count == 0 ? _observations.Keys : perspectives;
        return new ObservationReader(_errors, wanted.Distinct().Order().Select(perspective =>
        {
            var channel = ChannelOf(perspective);
            var (search, counts) = Known(perspective, channel);
            return new ObservationReader.Track(perspective, new ChannelCursor(_store, channel.Id), search, counts);
        }));
    }

    /// <summary>How many observations of a perspective there are.</summary>
    /// <exception cref="RecordingException">There are none, or the file is damaged.</exception>
    public long Count(uint perspective)
    {
        var channel = ChannelOf(perspective);
        if (_layout.Problem is null && _layout.Statistics is { ChannelMessageCounts.Count: > 0 } statistics)
        {
            return (long)statistics.ChannelMessageCounts.GetValueOrDefault(channel.Id);
        }

        return Told(() => Known(perspective, channel).Counts.Total);
    }

    /// <summary>The game's info on the match; null where the file does not have it.</summary>
    /// <exception cref="RecordingException">It is damaged.</exception>
    public ResponseGameInfo? ReadGameInfo() => Attached(RecordingFormat.GameInfo, ResponseGameInfo.Parser);

    /// <summary>The game's data (unit types, abilities …); null where the file does not have it.</summary>
    /// <exception cref="RecordingException">It is damaged.</exception>
    public ResponseData? ReadData() => Attached(RecordingFormat.Data, ResponseData.Parser);

    /// <summary>The observations that are missing; all chunks that tell of some are read for it.</summary>
    /// <exception cref="RecordingException">The file is damaged.</exception>
    public IReadOnlyList<Gap> ReadGaps() =>
        [.. Messages(RecordingFormat.Match, MatchRecord.Parser).Select(record => record.Gap).OfType<Gap>()];

    /// <summary>How the match ended; null where the recording was not closed.</summary>
    /// <exception cref="RecordingException">The file is damaged.</exception>
    public MatchEnd? ReadEnd()
    {
        var channel = Told(() => _layout.Channels.Find(RecordingFormat.Match));
        if (channel is null)
        {
            return null;
        }

        // It is the last message of all: in the last chunk.
        var place = _layout.Places.FindLastIndex(place => place.MayHold(channel.Id));
        return place < 0 ? null : Told(() =>
        {
            var chunk = _store.Take(place);
            try
            {
                return chunk.Of(channel.Id) is [.., var last]
                    ? Parse(MatchRecord.Parser, chunk.DataOf(last).Span, place).End
                    : null;
            }
            finally
            {
                _store.Release(chunk);
            }
        });
    }

    /// <summary>The rows of <c>steps.csv</c> in their order; nothing where there are none.</summary>
    /// <exception cref="RecordingException">While they are read: the file is damaged.</exception>
    public IEnumerable<StepRecord> Steps() => Messages(RecordingFormat.Steps, StepRecord.Parser);

    /// <summary>What agents asked of the game, in its order.</summary>
    /// <exception cref="RecordingException">While they are read: the file is damaged.</exception>
    public IEnumerable<RequestRecord> Requests() => Messages(RecordingFormat.Requests, RequestRecord.Parser);

    /// <summary>What agents had their players do, in its order.</summary>
    /// <exception cref="RecordingException">While they are read: the file is damaged.</exception>
    public IEnumerable<ActionRecord> Actions() => Messages(RecordingFormat.Actions, ActionRecord.Parser);

    /// <summary>Closes the file; its readers can be used no longer.</summary>
    public void Dispose()
    {
        _heads.Dispose();
        _loader.Dispose();
        _bytes.Dispose();
    }

    // A summary declares every channel; without one, the first chunk does that has it.
    private void Declare()
    {
        foreach (var (place, channels) in _layout.Hints)
        {
            if (channels.Length > 0 && channels.All(_layout.Channels.Knows))
            {
                continue;
            }

            try
            {
                _store.Release(_store.Take(place));
            }
            catch (McapException) when (_layout.Channels.Channels.Count > 0)
            {
                // Readers tell of it when they come to it, and get no further.
                break;
            }
        }

        if (_layout.Places.Count == 0 && _layout.Problem is { } problem)
        {
            throw problem;
        }

        foreach (var channel in _layout.Channels.Channels)
        {
            if (RecordingFormat.PerspectiveOf(channel.Topic) is { } perspective)
            {
                Check(channel);
                _observations[perspective] = _layout.Channels.Find(channel.Topic)!;
            }
        }
    }

    private void Check(Channel channel)
    {
        var schema = _layout.Channels.SchemaOf(channel)?.Name ?? ObservationSchema;
        if (channel.MessageEncoding != McapFormat.Protobuf || schema != ObservationSchema)
        {
            throw new McapException(
                $"{channel.Topic} holds {schema} as \"{channel.MessageEncoding}\"",
                0,
                $"only {ObservationSchema} as \"{McapFormat.Protobuf}\" is read");
        }
    }

    private MatchDescription ReadDescription()
    {
        var channel = _layout.Channels.Find(RecordingFormat.Match);
        if (channel is not null)
        {
            using var cursor = new ChannelCursor(_store, channel.Id);
            if (cursor.Peek(out var message) is { } chunk
                && Parse(MatchRecord.Parser, chunk.DataOf(message).Span, chunk.Place).Start is { } start)
            {
                return start;
            }
        }

        return new MatchDescription { Perspectives = { _observations.Keys } };
    }

    private Channel ChannelOf(uint perspective) => _observations.TryGetValue(perspective, out var channel)
        ? channel
        : throw new RecordingException(
            $"{Name} has no observations of perspective {perspective}: "
            + (_observations.Count == 0 ? "it has none at all" : $"there are {string.Join(", ", _observations.Keys)}"));

    private (ChannelSearch Search, ChannelCounts Counts) Known(uint perspective, Channel channel)
    {
        if (!_known.TryGetValue(perspective, out var known))
        {
            _known[perspective] = known = (
                new ChannelSearch(_store, _heads, channel.Id), new ChannelCounts(_bytes, _store, channel.Id));
        }

        return known;
    }

    private IEnumerable<T> Messages<T>(string topic, MessageParser<T> parser)
        where T : class, IMessage<T>
    {
        if (Told(() => _layout.Channels.Find(topic)) is not { } channel)
        {
            yield break;
        }

        using var cursor = new ChannelCursor(_store, channel.Id);
        while (Told(Read) is { } message)
        {
            yield return message;
            cursor.Advance();
        }

        T? Read() => cursor.Peek(out var message) is { } chunk
            ? Parse(parser, chunk.DataOf(message).Span, chunk.Place)
            : null;
    }

    private T? Attached<T>(string name, MessageParser<T> parser)
        where T : class, IMessage<T> => Told(() =>
    {
        if (_layout.Attachments.Find(attachment => attachment.Name == name) is not { } index)
        {
            return null;
        }

        var attachment = AttachmentReader.Read(_bytes, index);
        return Parse(parser, attachment.Data.Span, (long)index.Offset, name);
    });

    private T Parse<T>(MessageParser<T> parser, ReadOnlySpan<byte> data, int place)
        where T : IMessage<T> => Parse(parser, data, _layout.Places[place].Offset, "a message");

    private static T Parse<T>(MessageParser<T> parser, ReadOnlySpan<byte> data, long offset, string what)
        where T : IMessage<T>
    {
        try
        {
            return parser.ParseFrom(data);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new McapException($"{what} is no {typeof(T).Name}", offset, innerException: malformed);
        }
    }

    private T Told<T>(Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception error) when (RecordingErrors.IsOfFile(error))
        {
            throw _errors.Of(error);
        }
    }
}
