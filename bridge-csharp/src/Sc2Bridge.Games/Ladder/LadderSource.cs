using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that a ladder manager has created. The bridge joins the match, and agents play it. The game belongs to the manager, so the
/// bridge's client leaves the game and does not end it.
/// </summary>
/// <param name="slot">The slot to join.</param>
/// <param name="settings">The step size, the clock and the contents of observations. The manager sets everything else.</param>
/// <param name="options">The limits of the connection.</param>
public sealed class LadderSource(LadderSlot slot, MatchSettings settings, GameClientOptions? options = null)
    : LiveSource(slot.Game, options ?? new GameClientOptions())
{
    /// <inheritdoc/>
    /// <remarks>
    /// Bots on ladders, such as cpp-sc2's, disconnect when they have their result. python-sc2's proxy does not answer a
    /// <c>leave_game</c> after the match's end. So this client leaves only a match that has not ended.
    /// </remarks>
    private protected override bool LeavesMatch => End is null;

    /// <inheritdoc/>
    private protected override async Task<EnteredMatch> EnterAsync(GameClient client, CancellationToken ct)
    {
        // A ladder expects the join as the first request.
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
