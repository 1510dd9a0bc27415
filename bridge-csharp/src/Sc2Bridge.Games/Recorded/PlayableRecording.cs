using System.Globalization;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Games;

/// <summary>A recording that can be played as a game: it has observations, GameInfo and Data.</summary>
internal sealed class PlayableRecording : IDisposable
{
    private readonly RecordingReader _reader;
    private readonly uint[] _players;

    private PlayableRecording(RecordingReader reader)
    {
        _reader = reader;
        GameInfo = reader.ReadGameInfo() ?? throw Lacks("game_info");
        Data = reader.ReadData() ?? throw Lacks("data");
        _players = [.. reader.Perspectives.Where(perspective => perspective > 0).Order()];
        if (reader.Perspectives.Count == 0)
        {
            throw Lacks("observations");
        }

        try
        {
            End = reader.ReadEnd();
        }
        catch (RecordingException)
        {
            // The end is damaged: what is whole is played, and its last observation says why no more is.
        }
    }

    public MatchDescription Description => _reader.Description;

    /// <summary>How it ended; null where the recording was not closed.</summary>
    [System.Diagnostics.CodeAnalysis.SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public MatchEnd? End { get; }

    /// <summary>What the game told of the match, to the first recorded perspective.</summary>
    public ResponseGameInfo GameInfo { get; }

    /// <summary>What the game told of its types.</summary>
    public ResponseData Data { get; }

    /// <summary>Why the file is not whole, as one line; null where that is not known of.</summary>
    public string? Problem => _reader.Problem;

    /// <summary>Opens a file.</summary>
    /// <param name="path">Where it is.</param>
    /// <exception cref="RecordingException">
    /// It cannot be read, or lacks what a game has to tell; one line says which and what to do.
    /// </exception>
    public static PlayableRecording Open(string path)
    {
        var reader = RecordingReader.Open(path);
        try
        {
            return new PlayableRecording(reader);
        }
        catch
        {
            reader.Dispose();
            throw;
        }
    }

    /// <summary>A sentence with the recording's map.</summary>
    internal string KnownMap => $"The recording was played on: {GameInfo.MapName} ({GameInfo.LocalMapPath}).";

    /// <summary>The observations that are missing, counted.</summary>
    /// <exception cref="RecordingException">The file is damaged where it tells of them.</exception>
    public ulong CountMissing() => _reader.ReadGaps().Aggregate(0UL, (sum, gap) => sum + gap.Steps);

    /// <inheritdoc/>
    public void Dispose() => _reader.Dispose();

    /// <summary>Whether a map's name or its file's path means the recording's map, however it is written.</summary>
    internal bool IsMap(string name)
    {
        string[] names = [MapName.Key(GameInfo.MapName), MapName.Key(GameInfo.LocalMapPath)];
        return MapName.Key(name) is { Length: > 0 } wanted && names.Contains(wanted);
    }

    /// <summary>Why a choice of interfaces cannot be answered, or null.</summary>
    internal string? Unsupported(InterfaceOptions options)
    {
        var recorded = GameInfo.Options ?? new InterfaceOptions();
        return options.FeatureLayer is not null && recorded.FeatureLayer is null
            ? "The recording has no feature layers."
            : options.Render is not null && recorded.Render is null ? "The recording has no rendered picture."
            : options.Raw && !recorded.Raw ? "The recording was made without the raw interface."
            : null;
    }

    /// <summary>The flags of a choice of interfaces that the recording was made otherwise with, as the API names
    /// them.</summary>
    internal IEnumerable<string> Differing(InterfaceOptions options)
    {
        var recorded = GameInfo.Options ?? new InterfaceOptions();
        return InterfaceOptions.Descriptor.Fields.InFieldNumberOrder()
            .Where(field => field.FieldType == FieldType.Bool)
            .Where(field => (bool)field.Accessor.GetValue(options) != (bool)field.Accessor.GetValue(recorded))
            .Select(field => field.Name);
    }

    /// <summary>Whose observations a client gets.</summary>
    /// <param name="request">What it asks; it was checked as the game does.</param>
    /// <param name="created">Whether it created the game in this process: then it is the first player of its race, and
    /// else the last, as two clients play one game from two processes.</param>
    /// <param name="perspective">A player id, 0 for an observer of all.</param>
    /// <returns>Why it cannot, and what to do; null where it can.</returns>
    internal (JoinError Error, string Details)? Seat(RequestJoinGame request, bool created, out uint perspective)
    {
        perspective = request.ObservedPlayerId;
        if (request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.ObservedPlayerId)
        {
            return _reader.Perspectives.Contains(perspective)
                ? null
                : (JoinError.InvalidObservedPlayerId, $"There is no observed_player_id {perspective}: {Views}.");
        }

        if (_players.Length == 0)
        {
            return (JoinError.FeatureUnsupported,
                "The recording has no player's view to play with, only that of an observer of all: record one with "
                + "sc2bridge match --observe N, or join with observed_player_id 0.");
        }

        if (!created && _players.Length == 1)
        {
            return (JoinError.GameFull,
                $"The recording has one player's view, which the process has that creates the game: {Views}.");
        }

        var fitting = _players.Where(id => request.Race is Race.NoRace or Race.Random
            || RaceOf(id) is Race.NoRace || RaceOf(id) == request.Race);
        perspective = created ? fitting.FirstOrDefault() : fitting.LastOrDefault();
        return perspective > 0
            ? null
            : (JoinError.FeatureUnsupported, $"No recorded player is {request.Race}: {Views}.");
    }

    /// <summary>What the game told of the match to a perspective.</summary>
    /// <exception cref="RecordingException">It is damaged.</exception>
    internal ResponseGameInfo GameInfoOf(uint perspective) => _reader.ReadGameInfo(perspective) ?? GameInfo;

    /// <summary>Observations of a perspective, from the first on.</summary>
    internal ObservationReader Observations(uint perspective) => _reader.Observations(perspective);

    /// <summary>What agents asked, in the order of the answers.</summary>
    internal IEnumerable<RequestRecord> Requests() => _reader.Requests();

    /// <summary>How the match ended for each player: as recorded, or undecided.</summary>
    internal IReadOnlyList<PlayerResult> Results()
    {
        var known = End?.Results ?? [];
        var players = GameInfo.PlayerInfo.Where(player => player.Type != PlayerType.Observer).Select(p => p.PlayerId)
            .Concat(_players).Concat(known.Select(result => result.PlayerId)).Distinct().Order();
        return [.. players.Select(id => known.FirstOrDefault(result => result.PlayerId == id)
            ?? new PlayerResult { PlayerId = id, Result = Result.Undecided })];
    }

    private string Views => "there is the view of " + string.Join(", ", _reader.Perspectives.Order().Select(Named));

    private string Named(uint perspective) => perspective == 0
        ? "an observer of all (0)"
        : string.Create(CultureInfo.InvariantCulture, $"player {perspective} ({RaceOf(perspective)})");

    private Race RaceOf(uint player)
    {
        var info = GameInfoOf(player).PlayerInfo.FirstOrDefault(info => info.PlayerId == player);
        return info is null ? Race.NoRace : info.HasRaceActual ? info.RaceActual : info.RaceRequested;
    }

    private RecordingException Lacks(string what) => new(
        $"{_reader.Name} has no {what}, so it cannot be played as a game: record the match with sc2bridge match");
}
