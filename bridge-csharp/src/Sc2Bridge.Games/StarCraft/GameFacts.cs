using SC2APIProtocol;

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

    /// <summary>Whether a game says that it is the simulated one.</summary>
    internal static bool IsSimulated(ResponsePing ping) =>
        ping.GameVersion.Contains(SimulatedMark, StringComparison.OrdinalIgnoreCase);
}
