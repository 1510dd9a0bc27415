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
        GameInfo = reader.ReadGameInfo() ?? throw Missing("game_info");
        Data = reader.ReadData() ?? throw Missing("data");
        _players = [.. reader.Perspectives.Where(perspective => perspective > 0).Order()];
        if (reader.Perspectives.Count == 0)
        {
            throw Missing("observations");
        }

        try
        {
            End = reader.ReadEnd();
        }
        catch (RecordingException)
        {
            // The recording's end is damaged. The part before the damage is played, and then the damage is reported.
        }
    }

    public MatchDescription Description => _reader.Description;

    /// <summary>How the match ended; null if the recording was not closed, or is damaged at its end.</summary>
    [System.Diagnostics.CodeAnalysis.SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public MatchEnd? End { get; }

    /// <summary>The game's information about the match, for the first recorded perspective.</summary>
    public ResponseGameInfo GameInfo { get; }

    /// <summary>The game's data about its types.</summary>
    public ResponseData Data { get; }

    /// <summary>Why the file is not complete, as one line; null if no problem is known.</summary>
    public string? Problem => _reader.Problem;

    /// <summary>Opens a file.</summary>
    /// <param name="path">The file.</param>
    /// <exception cref="RecordingException">
    /// The file cannot be read, or lacks data that a game must provide. The message names the data and the remedy.
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

    /// <summary>A sentence that names the recording's map.</summary>
    internal string MapSentence => $"The recording was played on: {GameInfo.MapName} ({GameInfo.LocalMapPath}).";

    /// <summary>Counts the observations that are missing in the file.</summary>
    /// <exception cref="RecordingException">The file's list of missing observations is damaged.</exception>
    public ulong CountMissingObservations() => _reader.ReadGaps().Aggregate(0UL, (sum, gap) => sum + gap.Steps);

    /// <inheritdoc/>
    public void Dispose() => _reader.Dispose();

    /// <summary>Whether a map's name or file path means the recording's map, in any spelling.</summary>
    internal bool IsRecordedMap(string name)
    {
        string[] names = [MapName.Key(GameInfo.MapName), MapName.Key(GameInfo.LocalMapPath)];
        return MapName.Key(name) is { Length: > 0 } wanted && names.Contains(wanted);
    }

    /// <summary>Which requested data the recording lacks, as a sentence; null if it has the data of all requested interfaces.</summary>
    internal string? UnsupportedInterface(InterfaceOptions options)
    {
        var recorded = GameInfo.Options ?? new InterfaceOptions();
        return options.FeatureLayer is not null && recorded.FeatureLayer is null
            ? "The recording has no feature layers."
            : options.Render is not null && recorded.Render is null ? "The recording has no rendered picture."
            : options.Raw && !recorded.Raw ? "The recording was made without the raw interface."
            : null;
    }

    /// <summary>The API's names of the options whose values differ from the recording's options.</summary>
    internal IEnumerable<string> DifferingOptions(InterfaceOptions options)
    {
        var recorded = GameInfo.Options ?? new InterfaceOptions();
        return InterfaceOptions.Descriptor.Fields.InFieldNumberOrder()
            .Where(field => field.FieldType == FieldType.Bool)
            .Where(field => (bool)field.Accessor.GetValue(options) != (bool)field.Accessor.GetValue(recorded))
            .Select(field => field.Name);
    }

    /// <summary>Selects the perspective of a client that joins.</summary>
    /// <param name="request">The client's request, which has passed the game's own checks.</param>
    /// <param name="created">Whether the client created the game in this process. If so, the client plays the first recorded
    /// player of the requested race. If another process created the game, the client plays the last player of that race.</param>
    /// <param name="perspective">A player id, or 0 for an observer of all.</param>
    /// <returns>Why the client cannot join, and what to do; null if it can join.</returns>
    internal (JoinError Error, string Details)? SelectPerspective(RequestJoinGame request, bool created, out uint perspective)
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
                "The recording has no player's view to play with, only the view of an observer of all: record one with "
                + "sc2bridge match --observe N, or join with observed_player_id 0.");
        }

        if (!created && _players.Length == 1)
        {
            return (JoinError.GameFull,
                $"The recording has one player's view, and the process that creates the game has it: {Views}.");
        }

        var fitting = _players.Where(id => request.Race is Race.NoRace or Race.Random
            || RaceOf(id) is Race.NoRace || RaceOf(id) == request.Race);
        perspective = created ? fitting.FirstOrDefault() : fitting.LastOrDefault();
        return perspective > 0
            ? null
            : (JoinError.FeatureUnsupported, $"No recorded player is {request.Race}: {Views}.");
    }

    /// <summary>The game's information about the match, for a perspective.</summary>
    /// <exception cref="RecordingException">This information is damaged in the file.</exception>
    internal ResponseGameInfo GameInfoOf(uint perspective) => _reader.ReadGameInfo(perspective) ?? GameInfo;

    /// <summary>The observations of a perspective, from the first observation on.</summary>
    internal ObservationReader Observations(uint perspective) => _reader.Observations(perspective);

    /// <summary>The agents' recorded requests, in the order of their answers.</summary>
    internal IEnumerable<RequestRecord> Requests() => _reader.Requests();

    /// <summary>Each player's recorded result; undecided for a player without a recorded result.</summary>
    internal IReadOnlyList<PlayerResult> Results()
    {
        var known = End?.Results ?? [];
        var players = GameInfo.PlayerInfo.Where(player => player.Type != PlayerType.Observer).Select(p => p.PlayerId)
            .Concat(_players).Concat(known.Select(result => result.PlayerId)).Distinct().Order();
        return [.. players.Select(id => known.FirstOrDefault(result => result.PlayerId == id)
            ?? new PlayerResult { PlayerId = id, Result = Result.Undecided })];
    }

    private string Views => "the recording has the view of " + string.Join(", ", _reader.Perspectives.Order().Select(Named));

    private string Named(uint perspective) => perspective == 0
        ? "an observer of all (0)"
        : string.Create(CultureInfo.InvariantCulture, $"player {perspective} ({RaceOf(perspective)})");

    private Race RaceOf(uint player)
    {
        var info = GameInfoOf(player).PlayerInfo.FirstOrDefault(info => info.PlayerId == player);
        return info is null ? Race.NoRace : info.HasRaceActual ? info.RaceActual : info.RaceRequested;
    }

    private RecordingException Missing(string what) => new(
        $"{_reader.Name} has no {what}, so it cannot be played as a game: record the match with sc2bridge match");
}
