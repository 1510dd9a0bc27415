using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Pathing;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// What a recorded match answers beside its observations, and why it does not answer the rest: what the game told when
/// it was recorded, and, unless it is strict, what the map's grids tell.
/// </summary>
/// <param name="match">The match.</param>
/// <param name="strict">Whether only what was recorded is answered.</param>
/// <param name="totals">Counts.</param>
/// <param name="say">Gets lines for people.</param>
internal sealed class RecordedGameRules(
    PlayableRecording match, bool strict, RequestTotals totals, Action<string> say)
{
    private readonly HashSet<string> _said = [];
    private TerrainQueries? _terrain;

    /// <summary>Why a request can never be answered by a recording, or null.</summary>
    public static string? Refusal(Request request) => request.RequestCase switch
    {
        StartReplay or ReplayInfo => No("it plays itself, and no replays"),
        SaveReplay => No("there is no game whose replay could be saved"),
        SaveMap => No("there is no game that could use the map"),
        MapCommand => No("there are no triggers"),
        ObsAction => No("its camera is where it was"),
        Debug when request.Debug.Debug.Any(command => command.CommandCase != DebugCommand.CommandOneofCase.Draw) =>
            No("what debug commands other than draw would change has been played already"),
        _ => null,
    };

    /// <summary>The maps that a game can be created on: the recording's.</summary>
    public ResponseAvailableMaps Maps() => new()
    {
        LocalMapPaths = { match.GameInfo.LocalMapPath },
        BattlenetMapNames = { match.GameInfo.MapName },
    };

    /// <summary>The game has gone back, or another match begins.</summary>
    public void Forget() => _terrain = null;

    /// <summary>An observation of everything is not to be had where less was recorded.</summary>
    /// <param name="disableFog">Whether the client asks for it.</param>
    /// <exception cref="RefusedException">It is strict.</exception>
    public void CheckFog(bool disableFog)
    {
        if (disableFog)
        {
            Label("disable_fog", "observations show what was recorded, whatever disable_fog says");
        }
    }

    /// <summary>Answers queries, in the order of the questions.</summary>
    /// <param name="session">Whose.</param>
    /// <param name="query">What it asks.</param>
    /// <param name="left">The client has gone.</param>
    /// <exception cref="RefusedException">It asks for too much, or for what cannot be answered.</exception>
    /// <exception cref="OperationCanceledException">The client has gone.</exception>
    public ResponseQuery Query(RecordedSession session, RequestQuery query, CancellationToken left)
    {
        PathingQueries.CheckCount(query);
        var (recorded, nearby, ways, placements) = (0, 0, 0, 0);
        var response = new ResponseQuery();
        foreach (var asked in query.Pathing)
        {
            response.Pathing.Add(Recorded<ResponseQueryPathing>(asked) ?? Way(asked));
        }

        foreach (var asked in query.Abilities)
        {
            response.Abilities.Add(Recorded<ResponseQueryAvailableAbilities>(asked) ?? Abilities(asked));
        }

        foreach (var asked in query.Placements)
        {
            response.Placements.Add(Recorded<ResponseQueryBuildingPlacement>(asked) ?? Placement(asked));
        }

        if (session.Answers.Problem is { } problem && _said.Add(problem))
        {
            say($"answers that were recorded are lost: {problem}");
        }

        totals.Recorded += recorded;
        totals.Nearby += nearby;
        totals.Ways += ways;
        totals.Placements += placements;
        return response;

        TAnswer? Recorded<TAnswer>(IMessage asked)
            where TAnswer : class, IMessage
        {
            left.ThrowIfCancellationRequested();
            var answer = Find<TAnswer>(asked, 0);
            recorded += answer is null ? 0 : 1;
            return answer;
        }

        TAnswer? Find<TAnswer>(IMessage asked, ulong within)
            where TAnswer : class, IMessage => session.Answers.Find<TAnswer>(
                session.Position.Step, session.Perspective, asked, query.IgnoreResourceRequirements, within);

        ResponseQueryAvailableAbilities Abilities(RequestQueryAvailableAbilities asked)
        {
            var answer = Find<ResponseQueryAvailableAbilities>(asked, RecordedAnswers.Nearby)
                ?? throw new RefusedException(No("which abilities the unit has was not asked when it was recorded"));
            Label("abilities", "abilities that were not asked for at the same step are those of the nearest step");
            nearby++;
            return answer;
        }

        ResponseQueryPathing Way(RequestQueryPathing asked)
        {
            Label("ways", "ways that were not asked for when it was recorded are measured on the map's grid");
            ways++;
            return Ground(session).Way(asked);
        }

        ResponseQueryBuildingPlacement Placement(RequestQueryBuildingPlacement asked)
        {
            Label("placements", "placements that were not asked for when it was recorded are judged by the map's grid");
            placements++;
            return Ground(session).Placement(asked, query.IgnoreResourceRequirements);
        }
    }

    private TerrainQueries Ground(RecordedSession session)
    {
        _terrain ??= new TerrainQueries(session.GameInfo, match.Data);
        _terrain.MoveTo(session.Position.Step, session.Position.Observation);
        return _terrain;
    }

    // Answers that are not the game's own are reported once, or refused.
    private void Label(string what, string line)
    {
        if (strict)
        {
            throw new RefusedException(No($"{line}, which --strict forbids"));
        }

        if (_said.Add(what))
        {
            say($"not the game's own answers: {line}");
        }
    }

    private static string No(string why) => $"Not supported in a recording: {why}";
}
