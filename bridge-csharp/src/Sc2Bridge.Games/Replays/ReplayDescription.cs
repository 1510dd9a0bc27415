using Google.Protobuf.Collections;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>What a replay that was started tells of its match.</summary>
internal static class ReplayDescription
{
    /// <summary>The match's description for agents.</summary>
    internal static async Task<V1.MatchDescription> MakeAsync(
        OpenedReplay opened, ReplaySettings settings, string name, CancellationToken ct)
    {
        var facts = await GameFacts.AskAsync(opened.Game.Client, ct);
        var description = new V1.MatchDescription
        {
            MatchId = name,
            MapName = facts.GameInfo.MapName,
            Perspectives = { settings.Observe },
            StepSize = settings.Rate.Realtime ? 0 : settings.StepSize,
            Rate = settings.Rate.Hz,
            Realtime = settings.Rate.Realtime,
            Simulated = GameFacts.IsSimulated(opened.Ping),
            ClockId = ClockId.Read(),
            GameInfo = facts.GameInfo,
            Data = facts.Data,
            Ping = opened.Ping,
            Replay = Path.GetFileName(opened.Replay.Path),
        };
        var players = opened.Info is { PlayerInfo.Count: > 0 } info
            ? info.PlayerInfo.Select(player => player.PlayerInfo).OfType<PlayerInfo>()
            : facts.GameInfo.PlayerInfo;
        description.Players.Add(GameFacts.Players(players, V1.PlayerKind.Participant));

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
