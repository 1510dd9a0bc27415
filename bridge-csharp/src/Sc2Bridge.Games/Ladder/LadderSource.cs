using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that a ladder manager has created, joined as its arguments say and played by agents. The game is the manager's:
/// it is left, and not ended.
/// </summary>
/// <param name="slot">Where to join.</param>
/// <param name="settings">The step size, the clock and what observations hold; the rest is the manager's.</param>
/// <param name="options">How to treat the connection.</param>
public sealed class LadderSource(LadderSlot slot, MatchSettings settings, GameClientOptions? options = null)
    : LiveSource(slot.Game, options ?? new GameClientOptions())
{
    /// <inheritdoc/>
    /// <remarks>
    /// Bots on ladders disconnect when they have their result, as cpp-sc2's do; python-sc2's proxy never answers a bot
    /// that leaves an ended match.
    /// </remarks>
    private protected override bool LeavesMatch => End is null;

    /// <inheritdoc/>
    private protected override async Task<EnteredMatch> EnterAsync(GameClient client, CancellationToken ct)
    {
        // The first that a ladder expects of a bot.
        var join = new Request { JoinGame = slot.Join(settings.Interface) };
        var playerId = (await client.SendAsync(join, ct)).JoinGame.PlayerId;
        client.Realtime = settings.Rate.Realtime;
        var ping = (await client.SendAsync(new Request { Ping = new RequestPing() }, ct)).Ping;
        return new EnteredMatch(
            Describe(playerId, await GameFacts.AskAsync(client, ping, ct)), settings, playerId);
    }

    private V1.MatchDescription Describe(uint playerId, GameFacts facts)
    {
        var description = facts.Describe(settings, playerId);
        foreach (var player in description.Players)
        {
            if (player.PlayerId == playerId)
            {
                player.Kind = V1.PlayerKind.Agent;
            }
            else if (slot.OpponentId.Length > 0)
            {
                player.Name = slot.OpponentId;
            }
        }

        return description;
    }
}
