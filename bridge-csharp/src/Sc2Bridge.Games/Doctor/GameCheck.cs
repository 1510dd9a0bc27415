using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Holds a game beside the simulated one: the fields of the observations of two short matches, an observer's and a player's, and the
/// API's conformance table.
/// </summary>
/// <param name="origin">The game to start, or one that runs already and is left running.</param>
/// <param name="simulated">The simulated game.</param>
/// <param name="options">How connections are treated.</param>
public sealed class GameCheck(GameOrigin origin, GameLaunch simulated, GameClientOptions options)
{
    // A minute of the game, in steps of a second.
    private const int Steps = 60;
    private const uint StepSize = 22;

    /// <summary>Plays.</summary>
    /// <param name="map">The map, as people write it.</param>
    /// <param name="say">Gets a line for each part.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="GameException">A game does not start, or the match cannot be played.</exception>
    public async Task<GameCheckReport> RunAsync(string map, Action<string> say, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(say);
        var differences = new List<FieldDifference>();
        var (common, observations) = (0, 0);
        V1.MatchDescription? described = null;
        foreach (var (of, players) in new[]
        {
            ("observer", new MatchSettings().Players),
            ("player", [PlayerSpec.Parse("agent:terran"), PlayerSpec.Parse("computer:zerg:VeryEasy")]),
        })
        {
            var settings = new MatchSettings { Map = map, Players = players, Seed = 4, StepSize = StepSize };
            say($"playing a minute as {of}, and the same on the simulated game");
            await using var game = new StarCraftSource(settings, origin, options);
            var real = await ObserveAsync(game, ct);

            // It has maps of its own, and few.
            var there = game.Description.Simulated ? settings : settings with { Map = new MatchSettings().Map };
            await using var other = new StarCraftSource(there, simulated, options);
            var standIn = await ObserveAsync(other, ct);
            differences.AddRange(FieldPresence.Differences(of, real, standIn));
            common += real.Counts.Keys.Intersect(standIn.Counts.Keys).Count();
            observations += Steps;
            described = game.Description;
        }

        say("asking every request of the API in every state");
        return new GameCheckReport
        {
            GameVersion = described!.Ping.GameVersion,
            DataVersion = described.Ping.DataVersion,
            BaseBuild = described.Ping.BaseBuild,
            DataBuild = described.Ping.DataBuild,
            Simulated = described.Simulated,
            Map = described.MapName,
            Observations = observations,
            CommonFields = common,
            Fields = differences,
            Requests = ConformanceTable.Read().Keys.Count(rule => rule.Request != Request.RequestOneofCase.Quit),
            Answers = await ConformAsync(described, say, ct),
        };
    }

    private static async Task<FieldPresence> ObserveAsync(StarCraftSource game, CancellationToken ct)
    {
        var presence = new FieldPresence();
        await game.StartAsync(ct);
        for (var step = 0; step < Steps && await game.NextAsync(ct) is { } frame; step++)
        {
            presence.Add(ResponseObservation.Descriptor, frame.Observation.Span);
            frame.Release();
        }

        return presence;
    }

    private async Task<IReadOnlyList<string>> ConformAsync(V1.MatchDescription played, Action<string> say, CancellationToken ct)
    {
        await using var game = await RunningGame.OpenAsync(origin, options, ct);
        return await new ConformanceSuite(request => game.Client.ExchangeAsItStandsAsync(request, ct), played.GameInfo.LocalMapPath)
            .HoldAsync(state => say($"… {state}"));
    }
}
