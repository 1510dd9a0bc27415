using SC2APIProtocol;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// A recording that is open: an MCAP file with the channels of docs/reference/recording-format.md, written by this project or another.
/// What the match is, is read at once; observations as they are asked for, a chunk at a time, so that memory is bounded
/// by a chunk or two and not by the file. A file without a summary (a recording that was cut off, or is still written)
/// is read up to its last whole chunk. For one thread at a time.
/// </summary>
/// <remarks>Every failure is a <see cref="RecordingException"/> with one clear line.</remarks>
public sealed class RecordingReader : IDisposable
{
    private const string ObservationSchema = "SC2APIProtocol.ResponseObservation";

    private readonly McapFile _file;
    private readonly RecordingErrors _errors;
    private readonly SortedDictionary<uint, Observed> _observations = [];

    private RecordingReader(McapFile file, RecordingErrors errors)
    {
        _file = file;
        _errors = errors;
        foreach (var channel in file.Layout.Channels.Channels)
        {
            if (RecordingFormat.PerspectiveOf(channel.Topic) is { } perspective)
            {
                Check(channel, file.Layout.Channels.SchemaOf(channel));
                if (_observations.TryGetValue(perspective, out var other))
                {
                    throw ChannelTable.IsTwice(channel.Topic, other.Channel, channel.Id);
                }

                if (_observations.Count == McapLimits.Perspectives)
                {
                    throw new McapException(
                        $"it has more than {McapLimits.Perspectives} perspectives", 0, "no match has so many, record it again");
                }

                _observations[perspective] = new Observed(
                    channel.Id, new ChannelSearch(file.Chunks, channel.Id),
                    new ChannelCounts(file.Bytes, file.Chunks, channel.Id));
            }
        }

        Description = MatchMessages().FirstOrDefault()?.Start
            ?? new MatchDescription { Perspectives = { _observations.Keys } };
    }

    /// <summary>The file, as it was named.</summary>
    public string Name => _file.Bytes.Name;

    /// <summary>Bytes of the file when it was opened.</summary>
    public long FileLength => _file.Bytes.Length;

    /// <summary>Who wrote it, as the file says.</summary>
    public string Library => _file.Layout.Header.Library;

    /// <summary>
    /// Why the file is not whole, in one line that says what to do; null where nothing of that was seen when it was
    /// opened. Readers end where what is whole of it ends, or throw where something stands behind the damage.
    /// </summary>
    public string? Problem => _file.Layout.Problem is { } problem ? _errors.Line(problem) : null;

    /// <summary>
    /// The match, without <c>game_info</c> and <c>data</c> (see <see cref="ReadGameInfo"/>). Of a file of others that
    /// does not tell of the match, its perspectives alone.
    /// </summary>
    public MatchDescription Description { get; }

    /// <summary>Whose observations there are: player ids, 0 for an observer of all.</summary>
    public IReadOnlyCollection<uint> Perspectives => _observations.Keys;

    /// <summary>What was opened, for who looks at the file itself.</summary>
    internal McapFile File => _file;

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
            var (channel, search, counts) = Of(perspective);
            return new ObservationReader.Track(perspective, new ChannelCursor(_file.Chunks, channel), search, counts);
        }));
    }

    /// <summary>
    /// How many observations of a perspective there are; of a damaged file without a summary, how many before the damage.
    /// </summary>
    /// <exception cref="RecordingException">There are none, or the file cannot be read.</exception>
    public long Count(uint perspective)
    {
        var observed = Of(perspective);
        return _file.Layout is { Problem: null, Statistics: { ChannelMessageCounts: { Count: > 0 } counts } }
            ? (long)counts.GetValueOrDefault(observed.Channel)
            : _errors.Told(() => observed.Counts.Total);
    }

    /// <summary>The game's info on the match; null where the file does not have it.</summary>
    /// <param name="perspective">As whose game tells it; null for the first perspective's.</param>
    /// <exception cref="RecordingException">It is damaged.</exception>
    public ResponseGameInfo? ReadGameInfo(uint? perspective = null) => _errors.Told(() =>
        (perspective is { } whose
            ? _file.Attached(RecordingFormat.GameInfoOf(whose), ResponseGameInfo.Parser)
            : null)
        ?? _file.Attached(RecordingFormat.GameInfo, ResponseGameInfo.Parser));

    /// <summary>The game's data (unit types, abilities …); null where the file does not have it.</summary>
    /// <exception cref="RecordingException">It is damaged.</exception>
    public ResponseData? ReadData() => _errors.Told(() => _file.Attached(RecordingFormat.Data, ResponseData.Parser));

    /// <summary>The observations that are missing; all chunks that have gaps are read for it.</summary>
    /// <exception cref="RecordingException">While they are read: the file is damaged.</exception>
    public IEnumerable<Gap> ReadGaps() =>
        _errors.Told(MatchMessages().Select(record => record.Gap).OfType<Gap>());

    /// <summary>How the match ended; null where the recording was not closed.</summary>
    /// <exception cref="RecordingException">The file is damaged.</exception>
    public MatchEnd? ReadEnd() => _errors.Told(() =>
        _file.Last(RecordingFormat.Match, MatchRecord.Parser) is { } last ? MatchRecords.Current(last).End : null);

    /// <summary>The rows of <c>steps.csv</c> in their order; nothing where there are none.</summary>
    /// <exception cref="RecordingException">While they are read: the file is damaged.</exception>
    public IEnumerable<StepRecord> Steps() => _errors.Told(_file.Messages(RecordingFormat.Steps, StepRecord.Parser));

    /// <summary>What agents asked of the game, in its order.</summary>
    /// <exception cref="RecordingException">While they are read: the file is damaged.</exception>
    public IEnumerable<RequestRecord> Requests() =>
        _errors.Told(_file.Messages(RecordingFormat.Requests, RequestRecord.Parser));

    /// <summary>What agents, and bots behind the proxy, had their players do, in its order.</summary>
    /// <exception cref="RecordingException">While they are read: the file is damaged.</exception>
    public IEnumerable<ActionRecord> Actions() =>
        _errors.Told(_file.Messages(RecordingFormat.Actions, ActionRecord.Parser));

    /// <summary>Closes the file; its readers can be used no longer.</summary>
    public void Dispose() => _file.Dispose();

    private static void Check(Channel channel, Schema? schema)
    {
        var name = schema?.Name ?? ObservationSchema;
        if (channel.MessageEncoding != McapFormat.Protobuf || name != ObservationSchema)
        {
            throw new McapException(
                $"{channel.Topic} holds {name} as \"{channel.MessageEncoding}\"",
                0,
                $"only {ObservationSchema} as \"{McapFormat.Protobuf}\" is read");
        }
    }

    private IEnumerable<MatchRecord> MatchMessages() =>
        _file.Messages(RecordingFormat.Match, MatchRecord.Parser).Select(MatchRecords.Current);

    private Observed Of(uint perspective) => _observations.TryGetValue(perspective, out var observed)
        ? observed
        : throw new RecordingException(
            $"{Name} has no observations of perspective {perspective}: "
            + (_observations.Count == 0 ? "it has none at all" : $"there are {string.Join(", ", _observations.Keys)}"));

    // What is known of one perspective's channel.
    private sealed record Observed(ushort Channel, ChannelSearch Search, ChannelCounts Counts);
}
