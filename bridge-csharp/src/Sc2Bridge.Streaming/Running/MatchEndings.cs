using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>How a match ends.</summary>
/// <param name="source">The match's.</param>
internal sealed class MatchEndings(IGameSource source)
{
    /// <summary>Of all sides: each has got the results, but one that ended a little early may have got none.</summary>
    public static V1.MatchEnd Together(List<V1.MatchEnd> ends)
    {
        if (ends.Count == 1)
        {
            return ends[0];
        }

        // A side without results left first, in whatever order the ends arrived.
        var end = (ends.Find(one => one.Aborted) ?? ends.Find(one => one.Results.Count == 0) ?? ends[0]).Clone();
        end.Aborted = ends.TrueForAll(one => one.Aborted);
        foreach (var other in ends)
        {
            end.Step = Math.Max(end.Step, other.Step);
            end.GameLoop = Math.Max(end.GameLoop, other.GameLoop);
            end.Results.Add(other.Results.ExceptBy(end.Results.Select(one => one.PlayerId), one => one.PlayerId));
        }

        var results = end.Results.OrderBy(one => one.PlayerId).ToList();
        end.Results.Clear();
        end.Results.Add(results);
        return end;
    }

    /// <summary>A player has given up: the others have won.</summary>
    public V1.MatchEnd Forfeited(uint player, in MatchProgress progress)
    {
        var end = Of(V1.EndReason.Forfeit, progress, $"forfeited by player {player}: no agent plays it any more");
        end.Results.AddRange(source.Description.Players.Select(other => new PlayerResult
        {
            PlayerId = other.PlayerId,
            Result = other.PlayerId == player ? Result.Defeat : Result.Victory,
        }));
        return end;
    }

    /// <summary>The end where the match is now, without results.</summary>
    public V1.MatchEnd Of(V1.EndReason reason, in MatchProgress progress, string? detail = null) => new()
    {
        MatchId = source.Description.MatchId,
        Step = progress.Step,
        GameLoop = progress.GameLoop,
        Reason = reason,
        Detail = detail ?? reason.Words(),
        Aborted = reason == V1.EndReason.Failed,
    };
}
