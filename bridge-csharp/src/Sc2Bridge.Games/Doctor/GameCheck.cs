using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Compares a game with the simulated game. Each game plays two short matches, one seen by an observer and one by a player. The check
/// compares the fields of both games' observations, and tests the game against the API's conformance table.
/// </summary>
/// <param name="origin">The game to start, or the address of a game that runs already and keeps running.</param>
/// <param name="simulated">The simulated game.</param>
/// <param name="options">The limits of the connections.</param>
public sealed class GameCheck(GameOrigin origin, GameLaunch simulated, GameClientOptions options)
{
    // One minute of the game's time, in steps of about one second.
    private const int Steps = 60;
    private const uint StepSize = 22;

    /// <summary>Plays the matches, tests the requests and makes the report.</summary>
    /// <param name="map">The map's name, as users write it.</param>
    /// <param name="say">Receives a line for the user when a part of the check begins.</param>
    /// <param name="ct">Cancels the check.</param>
    /// <exception cref="GameException">A game does not start, or the match cannot be played.</exception>
    public async Task<GameCheckReport> RunAsync(string map, Action<string> say, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(say);
        var differences = new List<FieldDifference>();
        var (common, observations) = (0, 0);
        V1.MatchDescription? description = null;
        foreach (var (role, players) in new[]
        {
            ("observer", new MatchSettings().Players),
            ("player", [PlayerSpec.Parse("agent:terran"), PlayerSpec.Parse("computer:zerg:VeryEasy")]),
        })
        {
            var settings = new MatchSettings { Map = map, Players = players, Seed = 4, StepSize = StepSize };
            say($"playing a minute as {role}, in the game and in the simulated game");
            await using var game = new StarCraftSource(settings, origin, options);
            var realFields = await CountFieldsAsync(game, ct);

            // The simulated game lacks the maps of StarCraft II, so it plays its default map.
            var simulatedSettings = game.Description.Simulated ? settings : settings with { Map = new MatchSettings().Map };
            await using var simulatedGame = new StarCraftSource(simulatedSettings, simulated, options);
            var simulatedFields = await CountFieldsAsync(simulatedGame, ct);
            differences.AddRange(FieldPresence.Differences(role, realFields, simulatedFields));
            common += realFields.Counts.Keys.Intersect(simulatedFields.Counts.Keys).Count();
            observations += Steps;
            description = game.Description;
        }

        say("sending every request of the API in every state");
        return new GameCheckReport
        {
            GameVersion = description!.Ping.GameVersion,
            DataVersion = description.Ping.DataVersion,
            BaseBuild = description.Ping.BaseBuild,
            DataBuild = description.Ping.DataBuild,
            Simulated = description.Simulated,
            Map = description.MapName,
            Observations = observations,
            CommonFields = common,
            Fields = differences,
            Requests = ConformanceTable.Read().Keys.Count(rule => rule.Request != Request.RequestOneofCase.Quit),
            Answers = await CheckConformanceAsync(description, say, ct),
        };
    }

    private static async Task<FieldPresence> CountFieldsAsync(StarCraftSource game, CancellationToken ct)
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

    private async Task<IReadOnlyList<string>> CheckConformanceAsync(V1.MatchDescription played, Action<string> say, CancellationToken ct)
    {
        await using var game = await RunningGame.OpenAsync(origin, options, ct);
        return await new ConformanceSuite(request => game.Client.ExchangeUnchangedAsync(request, ct), played.GameInfo.LocalMapPath)
            .RunAsync(state => say($"… {state}"));
    }
}
