using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>The game's information about a match, requested once after the join.</summary>
/// <param name="Ping">The game's versions.</param>
/// <param name="GameInfo">The match's map and players.</param>
/// <param name="Data">The game's data about all its types.</param>
internal readonly record struct GameFacts(ResponsePing Ping, ResponseGameInfo GameInfo, ResponseData Data)
{
    // The simulated game's version contains this word, so a simulated game that runs already is recognised too.
    private const string SimulatedMark = "simulated";

    /// <summary>Whether a game's versions are the simulated game's.</summary>
    internal static bool IsSimulated(ResponsePing ping) => ping.GameVersion.Contains(SimulatedMark, StringComparison.OrdinalIgnoreCase);

    /// <summary>Requests the information.</summary>
    internal static async Task<GameFacts> AskAsync(GameClient client, ResponsePing ping, CancellationToken ct)
    {
        var everything = new RequestData
        {
            AbilityId = true,
            UnitTypeId = true,
            UpgradeId = true,
            BuffId = true,
            EffectId = true,
        };
        var gameInfo = client.SendAsync(new Request { GameInfo = new RequestGameInfo() }, ct);
        var data = client.SendAsync(new Request { Data = everything }, ct);
        return new GameFacts(ping, (await gameInfo).GameInfo, (await data).Data);
    }

    /// <summary>Describes a match from the game's information.</summary>
    /// <param name="settings">The settings with the match's name, step size and clock.</param>
    /// <param name="perspective">The client's perspective. The description contains no other perspective.</param>
    /// <param name="kind">The kind of the players that are not computers.</param>
    internal V1.MatchDescription Describe(
        MatchSettings settings, uint perspective, V1.PlayerKind kind = V1.PlayerKind.Api)
    {
        var description = settings.Describe();
        description.MapName = GameInfo.MapName;
        description.Perspectives.Clear();
        description.Perspectives.Add(perspective);
        description.Simulated = IsSimulated(Ping);
        description.GameInfo = GameInfo;
        description.Data = Data;
        description.Ping = Ping;
        description.Players.Clear();
        description.Players.Add(Players(GameInfo.PlayerInfo, kind));
        return description;
    }

    /// <summary>The players in the game's list, without observers.</summary>
    /// <param name="players">The game's list.</param>
    /// <param name="kind">The kind of the players that are not computers.</param>
    internal static IEnumerable<V1.Player> Players(IEnumerable<PlayerInfo> players, V1.PlayerKind kind) => players
        .Where(player => player.Type != PlayerType.Observer)
        .Select(player => new V1.Player
        {
            PlayerId = player.PlayerId,
            Kind = player.Type == PlayerType.Computer ? V1.PlayerKind.Computer : kind,
            Race = (V1.PlayerRace)player.RaceRequested,
            Difficulty = player.Type == PlayerType.Computer ? player.Difficulty.ToString() : "",
            Name = player.PlayerName,
        });
}
