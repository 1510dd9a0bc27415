using System.Diagnostics;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Compares a game with the simulated game. Each game plays one short match for the bridge, the proxy, a replay and real time, and answers
/// every request in every state. If a part fails, the other parts are played anyway.
/// </summary>
/// <param name="origin">The game to start, or the address of a game that runs already and keeps running.</param>
/// <param name="simulated">The simulated game.</param>
/// <param name="options">The limits of the connections.</param>
/// <param name="partLimit">How long each game may take for each part.</param>
public sealed class GameCheck(GameOrigin origin, GameLaunch simulated, GameClientOptions options, TimeSpan partLimit)
{
    /// <summary>Plays the parts and makes the report.</summary>
    /// <param name="map">The map's name, as users write it.</param>
    /// <param name="say">Receives a line for the user when a part begins.</param>
    /// <param name="ct">Cancels the check.</param>
    /// <exception cref="GameException">A game does not start.</exception>
    public async Task<GameCheckReport> RunAsync(string map, Action<string> say, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(say);
        await using var game = new PlayedGame(origin, options, partLimit) { Map = map };
        await using var other = new PlayedGame(simulated, options, partLimit);
        var ping = await game.PingAsync(ct);
        await other.PingAsync(ct);
        if (GameFacts.IsSimulated(ping))
        {
            // The simulated game lacks the maps of StarCraft II, so it plays its default map otherwise.
            other.Map = map;
        }

        var bridge = await PlayAsync("bridge", "two computers, with an observer", played => played.WatchComputersAsync);
        var proxy = await PlayAsync("proxy", "a bot against a computer", played => played.PlayThroughProxyAsync);
        var replay = await PlayAsync("replay", "the bot's match again", played => played.WatchReplayAsync);
        var realTime = await PlayAsync("real time", "four seconds", played => played.PlayInRealTimeAsync);
        var requests = await PlayAsync(
            "requests", "every request in every state",
            played => limited => played.AskEverythingAsync((played == game ? bridge.Game : bridge.Simulated)?.Match?.GameInfo.LocalMapPath, limited));
        PartResult[] parts = [bridge, proxy, replay, realTime, requests];

        // After a timeout, a game may still answer. So the answers are read once.
        var (answers, otherAnswers) = (game.Answers, other.Answers);

        // In real time, the two games are observed at different loops, so their fields are not compared.
        PartResult[] compared = [.. new[] { bridge, proxy, replay }.Where(part => part is { Game: not null, Simulated: not null })];
        var find = new GameDifferences(ping.BaseBuild);
        var (speed, otherSpeed) = (realTime.Game?.LoopsPerSecond, realTime.Simulated?.LoopsPerSecond);
        return new GameCheckReport
        {
            GameVersion = ping.GameVersion,
            DataVersion = ping.DataVersion,
            BaseBuild = ping.BaseBuild,
            DataBuild = ping.DataBuild,
            Simulated = GameFacts.IsSimulated(ping),
            Map = parts.Select(part => part.Game?.Match?.MapName).FirstOrDefault(name => name is not null) ?? "",
            Parts = [.. parts.Select(part => part.Report)],
            Observations = compared.Sum(part => part.Game!.Observations),
            CommonFields = compared.SelectMany(part => part.Game!.Fields.Counts.Keys.Intersect(part.Simulated!.Fields.Counts.Keys)).Distinct().Count(),
            LoopsPerSecond = speed,
            SimulatedLoopsPerSecond = otherSpeed,
            Requests = answers.Count,
            RequestsNotCompared = ConformanceTable.Read().Keys.Count(rule => rule.Request != Request.RequestOneofCase.Quit)
                - answers.Count(answer => otherAnswers.Any(same => same.Request == answer.Request && same.State == answer.State)),
            Differences =
            [
                .. find.OfFields([.. compared.Select(part => (part.Report.Name, part.Game!.Fields, part.Simulated!.Fields))]),
                .. bridge is { Game.Match.Data: { } data, Simulated.Match.Data: { } otherData } ? find.OfData(data, otherData) : [],
                .. GameDifferences.OfAnswers(answers, otherAnswers),
                .. GameDifferences.OfRealTime(speed, otherSpeed),
            ],
        };

        async Task<PartResult> PlayAsync(string name, string what, Func<PlayedGame, Func<CancellationToken, Task<PartFacts>>> part)
        {
            say($"{name}: {what}");
            var begin = Stopwatch.GetTimestamp();
            var (facts, problem) = await game.TryAsync(part(game), ct);
            var seconds = Stopwatch.GetElapsedTime(begin).TotalSeconds;
            var (otherFacts, otherProblem) = await other.TryAsync(part(other), ct);
            return new PartResult(
                facts, otherFacts,
                new CheckedPart(name, Math.Round(seconds, 1), problem, otherProblem, [.. TimesOf(facts, otherFacts)]));
        }
    }

    private static IEnumerable<PartTime> TimesOf(PartFacts? game, PartFacts? simulated)
    {
        foreach (var (request, times) in game?.Times ?? new Dictionary<string, List<double>>())
        {
            yield return new PartTime(
                request, times.Count, Median(times), Math.Round(times.Max(), 1),
                simulated?.Times.TryGetValue(request, out var other) == true ? Median(other) : null);
        }
    }

    private static double Median(List<double> times) => Math.Round(times.Order().ElementAt(times.Count / 2), 1);

    private sealed record PartResult(PartFacts? Game, PartFacts? Simulated, CheckedPart Report);
}
