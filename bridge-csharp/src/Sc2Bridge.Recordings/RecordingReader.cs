using SC2APIProtocol;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// An open recording: an MCAP file with the channels of docs/reference/recording-format.md, written by this project or another program.
/// The facts of the match are read when the file is opened. Observations are read on demand, chunk by chunk, so only a few chunks are in
/// memory. A file without a summary (a recording that was cut off or is still written) is read up to its last complete chunk. Only one
/// thread at a time may use the reader.
/// </summary>
/// <remarks>Every failure is a <see cref="RecordingException"/> with a message of one line.</remarks>
public sealed class RecordingReader : IDisposable
{
    private const string ObservationSchema = "SC2APIProtocol.ResponseObservation";

    private readonly McapFile _file;
    private readonly RecordingErrors _errors;
    private readonly SortedDictionary<uint, PerspectiveChannel> _perspectiveChannels = [];

    private RecordingReader(McapFile file, RecordingErrors errors)
    {
        _file = file;
        _errors = errors;
        foreach (var channel in file.Layout.Channels.Channels)
        {
            if (RecordingFormat.PerspectiveOf(channel.Topic) is { } perspective)
            {
                Check(channel, file.Layout.Channels.SchemaOf(channel));
                if (_perspectiveChannels.TryGetValue(perspective, out var other))
                {
                    throw ChannelTable.DuplicateTopic(channel.Topic, other.Channel, channel.Id);
                }

                if (_perspectiveChannels.Count == McapLimits.Perspectives)
                {
                    throw new McapException(
                        $"it has more than {McapLimits.Perspectives} perspectives", 0, "no match has so many; record the match again");
                }

                _perspectiveChannels[perspective] = new PerspectiveChannel(
                    channel.Id, new ChannelSearch(file.Chunks, channel.Id),
                    new ChannelCounts(file.Bytes, file.Chunks, channel.Id));
            }
        }

        Description = MatchMessages().FirstOrDefault()?.Start
            ?? new MatchDescription { Perspectives = { _perspectiveChannels.Keys } };
    }

    /// <summary>The file, as the user named it.</summary>
    public string Name => _file.Bytes.Name;

    /// <summary>The file's size when it was opened.</summary>
    public long FileLength => _file.Bytes.Length;

    /// <summary>The program that wrote the file.</summary>
    public string Library => _file.Layout.Header.Library;

    /// <summary>
    /// The damage of the file, in one line with the remedy; null if no damage was found when the file was opened.
    /// <see cref="ObservationReader.Next"/> returns false at the damage, or throws if data follows the damage.
    /// </summary>
    public string? Problem => _file.Layout.Problem is { } problem ? _errors.Line(problem) : null;

    /// <summary>
    /// The match, without <c>game_info</c> and <c>data</c> (see <see cref="ReadGameInfo"/>). If the file has no description, only
    /// <c>Perspectives</c> is set.
    /// </summary>
    public MatchDescription Description { get; }

    /// <summary>The recorded perspectives: player ids, or 0 for an observer of all players.</summary>
    public IReadOnlyCollection<uint> Perspectives => _perspectiveChannels.Keys;

    /// <summary>The open file, for code that reads chunks directly.</summary>
    internal McapFile File => _file;

    /// <summary>Opens a file.</summary>
    /// <param name="path">The file.</param>
    /// <exception cref="RecordingException">
    /// The file is not a recording, or it is so damaged that nothing can be read.
    /// </exception>
    public static RecordingReader Open(string path) => Open(new RecordingFile(path));

    /// <summary>Opens any bytes. The reader disposes them.</summary>
    /// <exception cref="RecordingException">The bytes are not a recording, or nothing of them can be read.</exception>
    internal static RecordingReader Open(IRecordingBytes bytes)
    {
        var errors = new RecordingErrors(bytes.Name);
        IDisposable open = bytes;
        try
        {
            var file = new McapFile(bytes);
            open = file;
            return new RecordingReader(file, errors);
        }
        catch (Exception error)
        {
            open.Dispose();
            if (RecordingErrors.IsOfFile(error))
            {
                throw errors.ToRecordingException(error);
            }

            throw;
        }
    }

    /// <summary>Reads observations from the first one on. The observations of several perspectives are merged by time.</summary>
    /// <param name="perspectives">The perspectives; empty for all.</param>
    /// <returns>A reader, which the caller must dispose. Several readers may be used in turn.</returns>
    /// <exception cref="RecordingException">A perspective has no observations.</exception>
    public ObservationReader Observations(params IReadOnlyCollection<uint> perspectives)
    {
        ArgumentNullException.ThrowIfNull(perspectives);
        var wanted = perspectives.Count == 0 ? _perspectiveChannels.Keys : perspectives;
        return new ObservationReader(_errors, wanted.Distinct().Order().Select(perspective =>
        {
            var (channel, search, counts) = ChannelOf(perspective);
            return new ObservationReader.Track(perspective, new ChannelCursor(_file.Chunks, channel), search, counts);
        }));
    }

    /// <summary>
    /// The number of a perspective's observations. For a damaged file: the number before the first chunk that cannot be counted.
    /// </summary>
    /// <exception cref="RecordingException">The perspective has no observations, or the file cannot be read.</exception>
    public long Count(uint perspective)
    {
        var observed = ChannelOf(perspective);
        return _file.Layout is { Problem: null, Statistics: { ChannelMessageCounts: { Count: > 0 } counts } }
            ? (long)counts.GetValueOrDefault(observed.Channel)
            : _errors.Wrap(() => observed.Counts.Total);
    }

    /// <summary>The game info of the match; null if the file does not contain it.</summary>
    /// <param name="perspective">The perspective; null for the first one.</param>
    /// <exception cref="RecordingException">The attachment is damaged.</exception>
    public ResponseGameInfo? ReadGameInfo(uint? perspective = null) => _errors.Wrap(() =>
        (perspective is { } whose
            ? _file.ParseAttachment(RecordingFormat.GameInfoOf(whose), ResponseGameInfo.Parser)
            : null)
        ?? _file.ParseAttachment(RecordingFormat.GameInfo, ResponseGameInfo.Parser));

    /// <summary>The game's data (unit types, abilities …); null if the file does not contain it.</summary>
    /// <exception cref="RecordingException">The attachment is damaged.</exception>
    public ResponseData? ReadData() => _errors.Wrap(() => _file.ParseAttachment(RecordingFormat.Data, ResponseData.Parser));

    /// <summary>The recorded gaps between observations. Reads all chunks that may contain gaps.</summary>
    /// <exception cref="RecordingException">During the enumeration: the file is damaged.</exception>
    public IEnumerable<Gap> ReadGaps() =>
        _errors.Wrap(MatchMessages().Select(record => record.Gap).OfType<Gap>());

    /// <summary>How the match ended; null if the recording was not closed.</summary>
    /// <exception cref="RecordingException">The file is damaged.</exception>
    public MatchEnd? ReadEnd() => _errors.Wrap(() =>
        _file.Last(RecordingFormat.Match, MatchRecord.Parser) is { } last ? MatchRecords.ToCurrentForm(last).End : null);

    /// <summary>The rows of <c>steps.csv</c>, in order. Empty if the recording has no rows.</summary>
    /// <exception cref="RecordingException">During the enumeration: the file is damaged.</exception>
    public IEnumerable<StepRecord> Steps() => _errors.Wrap(_file.Messages(RecordingFormat.Steps, StepRecord.Parser));

    /// <summary>The agents' requests to the game, in order.</summary>
    /// <exception cref="RecordingException">During the enumeration: the file is damaged.</exception>
    public IEnumerable<RequestRecord> Requests() =>
        _errors.Wrap(_file.Messages(RecordingFormat.Requests, RequestRecord.Parser));

    /// <summary>The actions of agents and of bots behind the proxy, in order.</summary>
    /// <exception cref="RecordingException">During the enumeration: the file is damaged.</exception>
    public IEnumerable<ActionRecord> Actions() =>
        _errors.Wrap(_file.Messages(RecordingFormat.Actions, ActionRecord.Parser));

    /// <summary>Closes the file. Its readers can no longer be used.</summary>
    public void Dispose() => _file.Dispose();

    private static void Check(Channel channel, Schema? schema)
    {
        var name = schema?.Name ?? ObservationSchema;
        if (channel.MessageEncoding != McapFormat.Protobuf || name != ObservationSchema)
        {
            throw new McapException(
                $"{channel.Topic} has messages of the type {name} in the encoding \"{channel.MessageEncoding}\"",
                0,
                $"only {ObservationSchema} in \"{McapFormat.Protobuf}\" is supported");
        }
    }

    private IEnumerable<MatchRecord> MatchMessages() =>
        _file.Messages(RecordingFormat.Match, MatchRecord.Parser).Select(MatchRecords.ToCurrentForm);

    private PerspectiveChannel ChannelOf(uint perspective) => _perspectiveChannels.TryGetValue(perspective, out var observed)
        ? observed
        : throw new RecordingException(
            $"{Name} has no observations of perspective {perspective}: "
            + (_perspectiveChannels.Count == 0 ? "it has none at all" : $"there are {string.Join(", ", _perspectiveChannels.Keys)}"));

    // One perspective's channel, and the caches for searching in the channel.
    private sealed record PerspectiveChannel(ushort Channel, ChannelSearch Search, ChannelCounts Counts);
}
