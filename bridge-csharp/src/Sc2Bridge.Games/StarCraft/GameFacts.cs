using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>What a game tells of a match that was joined, once.</summary>
/// <param name="GameInfo">The match.</param>
/// <param name="Data">All of the game's types.</param>
internal readonly record struct GameFacts(ResponseGameInfo GameInfo, ResponseData Data)
{
    // The simulated game's version says what it is, so that one that was attached to is labelled too.
    private const string SimulatedMark = "simulated";

    /// <summary>Asks for them.</summary>
    internal static async Task<GameFacts> AskAsync(GameClient client, CancellationToken ct)
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
        return new GameFacts((await gameInfo).GameInfo, (await data).Data);
    }

    /// <summary>A match that somebody else has created, as its game tells of it.</summary>
    /// <param name="settings">Its name, steps and clock.</param>
    /// <param name="perspective">Whose eyes its one client has.</param>
    /// <param name="ping">What the game says of itself.</param>
    internal V1.MatchDescription Describe(MatchSettings settings, uint perspective, ResponsePing ping)
    {
        var description = new V1.MatchDescription
        {
            MatchId = settings.Match,
            MapName = GameInfo.MapName,
            Perspectives = { perspective },
            StepSize = settings.Rate.Realtime ? 0 : settings.StepSize,
            Realtime = settings.Rate.Realtime,
            Simulated = IsSimulated(ping),
            ClockId = ClockId.Read(),
            GameInfo = GameInfo,
            Data = Data,
            Ping = ping,
        };
        description.Players.Add(Players(GameInfo.PlayerInfo, V1.PlayerKind.Api));

        return description;
    }

    /// <summary>The players as the game knows them, without observers.</summary>
    /// <param name="players">The game's list.</param>
    /// <param name="kind">The players that are not computers.</param>
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

    /// <summary>Whether a game says that it is the simulated one.</summary>
    internal static bool IsSimulated(ResponsePing ping) =>
        ping.GameVersion.Contains(SimulatedMark, StringComparison.OrdinalIgnoreCase);
}
