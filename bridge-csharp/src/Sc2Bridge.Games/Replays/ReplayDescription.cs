using Google.Protobuf.Collections;
using SC2APIProtocol;

namespace Sc2Bridge.Games;

/// <summary>What a replay that was started tells of its match.</summary>
internal static class ReplayDescription
{
    /// <summary>The match's description for agents.</summary>
    internal static async Task<V1.MatchDescription> MakeAsync(
        OpenedReplay opened, ReplaySettings settings, string name, CancellationToken ct)
    {
        var facts = await GameFacts.AskAsync(opened.Game.Client, opened.Ping, ct);
        var description = facts.Describe(
            settings.Following with { Match = name }, settings.Observe, V1.PlayerKind.Participant);
        description.Replay = Path.GetFileName(opened.Replay.Path);
        if (opened.Info is { PlayerInfo.Count: > 0 } info)
        {
            var players = info.PlayerInfo.Select(player => player.PlayerInfo).OfType<PlayerInfo>();
            description.Players.Clear();
            description.Players.Add(GameFacts.Players(players, V1.PlayerKind.Participant));
        }

        return description;
    }

    /// <summary>Adds the results that the replay tells and its last observations do not.</summary>
    internal static void Complete(RepeatedField<PlayerResult> results, ResponseReplayInfo? info)
    {
        foreach (var told in info?.PlayerInfo.Select(player => player.PlayerResult).OfType<PlayerResult>() ?? [])
        {
            var seen = results.FirstOrDefault(result => result.PlayerId == told.PlayerId);
            if (seen is null)
            {
                results.Add(told);
            }
            else if (seen.Result == Result.Undecided)
            {
                seen.Result = told.Result;
            }
        }
    }
}
