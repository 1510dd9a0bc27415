using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>Builds the end of a match.</summary>
/// <param name="source">The match's source.</param>
internal sealed class MatchEndings(IGameSource source)
{
    /// <summary>Combines the ends of all sides. A side that ended a little earlier may have no results.</summary>
    public static V1.MatchEnd Combine(List<V1.MatchEnd> ends)
    {
        if (ends.Count == 1)
        {
            return ends[0];
        }

        // Prefers an aborted end, then an end without results: a side without results ended first, even if its end arrived later.
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

    /// <summary>The end of a match that a player has forfeited: the other players have won.</summary>
    public V1.MatchEnd CreateForfeit(uint player, in MatchProgress progress)
    {
        var end = Create(V1.EndReason.Forfeit, progress, $"forfeited by player {player}: no agent plays it any more");
        end.Results.AddRange(source.Description.Players.Select(other => new PlayerResult
        {
            PlayerId = other.PlayerId,
            Result = other.PlayerId == player ? Result.Defeat : Result.Victory,
        }));
        return end;
    }

    /// <summary>The end at the current step, without results.</summary>
    public V1.MatchEnd Create(V1.EndReason reason, in MatchProgress progress, string? detail = null) => new()
    {
        MatchId = source.Description.MatchId,
        Step = progress.Step,
        GameLoop = progress.GameLoop,
        Reason = reason,
        Detail = detail ?? reason.Words(),
        Aborted = reason == V1.EndReason.Failed,
    };
}
