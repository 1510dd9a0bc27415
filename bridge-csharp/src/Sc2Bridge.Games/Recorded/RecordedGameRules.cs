using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Pathing;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// The rules for requests to a recorded match. Requests that no recording can answer are refused. Queries get the game's
/// recorded answers. If the game is not strict, other queries are answered from the map's grids.
/// </summary>
/// <param name="match">The match.</param>
/// <param name="strict">Whether only recorded answers are used.</param>
/// <param name="totals">Counts the answers.</param>
/// <param name="say">Receives lines for the user.</param>
internal sealed class RecordedGameRules(
    PlayableRecording match, bool strict, RequestTotals totals, Action<string> say)
{
    private readonly HashSet<string> _reported = [];
    private TerrainQueries? _terrain;

    /// <summary>Why no recording can answer a request; null if a recording may have an answer.</summary>
    public static string? Refusal(Request request) => request.RequestCase switch
    {
        StartReplay or ReplayInfo => Unsupported("it cannot play replays"),
        SaveReplay => Unsupported("no game runs, so there is no replay to save"),
        SaveMap => Unsupported("no game runs that could use the map"),
        MapCommand => Unsupported("there are no triggers"),
        ObsAction => Unsupported("its camera cannot be moved"),
        Debug when request.Debug.Debug.Any(command => command.CommandCase != DebugCommand.CommandOneofCase.Draw) =>
            Unsupported("debug commands other than draw cannot change a recorded match"),
        _ => null,
    };

    /// <summary>The maps on which a game can be created: only the recording's map.</summary>
    public ResponseAvailableMaps Maps() => new()
    {
        LocalMapPaths = { match.GameInfo.LocalMapPath },
        BattlenetMapNames = { match.GameInfo.MapName },
    };

    /// <summary>Discards the cached map and units. Call this method when the match goes back to an earlier step, and before another match.</summary>
    public void ClearTerrain() => _terrain = null;

    /// <summary>If the client requests no fog of war, reports once that observations show the recorded fog.</summary>
    /// <param name="disableFog">Whether the client requests an observation without fog.</param>
    /// <exception cref="RefusedException">The client requests no fog, and the game is strict.</exception>
    public void CheckFog(bool disableFog)
    {
        if (disableFog)
        {
            ReportOrRefuse("disable_fog", "observations show the recorded fog of war, because disable_fog has no effect");
        }
    }

    /// <summary>Answers queries, in the order of the questions.</summary>
    /// <param name="session">The client's session.</param>
    /// <param name="query">The client's query.</param>
    /// <param name="disconnected">Cancelled when the client has disconnected.</param>
    /// <exception cref="RefusedException">The query is too long, or has a question that cannot be answered.</exception>
    /// <exception cref="OperationCanceledException">The client has disconnected.</exception>
    public ResponseQuery Query(RecordedSession session, RequestQuery query, CancellationToken disconnected)
    {
        PathingQueries.CheckCount(query);
        var (recorded, nearby, pathLengths, placements) = (0, 0, 0, 0);
        var response = new ResponseQuery();
        foreach (var asked in query.Pathing)
        {
            response.Pathing.Add(Recorded<ResponseQueryPathing>(asked) ?? PathLength(asked));
        }

        foreach (var asked in query.Abilities)
        {
            response.Abilities.Add(Recorded<ResponseQueryAvailableAbilities>(asked) ?? Abilities(asked));
        }

        foreach (var asked in query.Placements)
        {
            response.Placements.Add(Recorded<ResponseQueryBuildingPlacement>(asked) ?? Placement(asked));
        }

        if (session.Answers.Problem is { } problem && _reported.Add(problem))
        {
            say($"recorded answers cannot be read: {problem}");
        }

        totals.Recorded += recorded;
        totals.Nearby += nearby;
        totals.PathLengths += pathLengths;
        totals.Placements += placements;
        return response;

        TAnswer? Recorded<TAnswer>(IMessage asked)
            where TAnswer : class, IMessage
        {
            disconnected.ThrowIfCancellationRequested();
            var answer = Find<TAnswer>(asked, 0);
            recorded += answer is null ? 0 : 1;
            return answer;
        }

        TAnswer? Find<TAnswer>(IMessage asked, ulong within)
            where TAnswer : class, IMessage => session.Answers.Find<TAnswer>(
                session.Position.Step, session.Perspective, asked, query.IgnoreResourceRequirements, within);

        ResponseQueryAvailableAbilities Abilities(RequestQueryAvailableAbilities asked)
        {
            var answer = Find<ResponseQueryAvailableAbilities>(asked, RecordedAnswers.NearbySteps)
                ?? throw new RefusedException(Unsupported("no agent queried the unit's abilities near this step of the match"));
            ReportOrRefuse("abilities", "abilities without a recorded answer at the same step come from the nearest step");
            nearby++;
            return answer;
        }

        ResponseQueryPathing PathLength(RequestQueryPathing asked)
        {
            ReportOrRefuse("pathLengths", "path lengths without a recorded answer at the same step are measured on the map's grid");
            pathLengths++;
            return TerrainAt(session).PathLength(asked);
        }

        ResponseQueryBuildingPlacement Placement(RequestQueryBuildingPlacement asked)
        {
            ReportOrRefuse("placements", "placements without a recorded answer at the same step are checked on the map's grid");
            placements++;
            return TerrainAt(session).Placement(asked, query.IgnoreResourceRequirements);
        }
    }

    private TerrainQueries TerrainAt(RecordedSession session)
    {
        _terrain ??= new TerrainQueries(session.GameInfo, match.Data);
        _terrain.MoveTo(session.Position.Step, session.Position.Observation);
        return _terrain;
    }

    // Reports, once for each value of "what", that answers are not the game's own. A strict game refuses the request instead.
    private void ReportOrRefuse(string what, string line)
    {
        if (strict)
        {
            throw new RefusedException(Unsupported($"{line}, which --strict forbids"));
        }

        if (_reported.Add(what))
        {
            say($"not the game's own answers: {line}");
        }
    }

    private static string Unsupported(string why) => $"Not supported in a recording: {why}";
}
