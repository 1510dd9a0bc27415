using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>One game of a series, in the JSON report.</summary>
/// <param name="Game">The number of the game, from 1.</param>
/// <param name="Match">The match's name.</param>
/// <param name="Folder">The folder with its logs and its recording.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Seed">The game's random seed.</param>
/// <param name="Ended">Why the game ended.</param>
/// <param name="Aborted">Whether the game failed or could not be started. Then it has no result.</param>
/// <param name="Results">The result of each player, such as Victory, by player id.</param>
/// <param name="Observations">The number of observations.</param>
/// <param name="LastGameLoop">The game loop of the last observation.</param>
/// <param name="Seconds">The time from the first step to the end, in seconds.</param>
/// <param name="FailedWrites">Which files of the game could not be written, and why; null if all were written.</param>
internal sealed record SeriesGame(
    int Game, string Match, string Folder, string Map, uint Seed, string Ended, bool Aborted,
    IReadOnlyDictionary<uint, string> Results, long Observations, uint LastGameLoop, double Seconds,
    string? FailedWrites)
{
    /// <summary>Whether the files of the game were deleted to make room for later games.</summary>
    public bool Deleted { get; init; }
}

/// <summary>The JSON report of a series.</summary>
/// <param name="Games">The games. The first played game is first.</param>
/// <param name="Aborted">The number of games that failed.</param>
/// <param name="FailedWrites">The number of games with a file that could not be written.</param>
/// <param name="Victories">The number of victories, by player id.</param>
internal sealed record SeriesReport(
    IReadOnlyList<SeriesGame> Games, int Aborted, int FailedWrites, IReadOnlyDictionary<uint, int> Victories);

/// <summary>Gathers the games of a series.</summary>
/// <param name="retention">How many games keep their files.</param>
internal sealed class Series(Retention retention)
{
    private readonly List<SeriesGame> _games = [];

    /// <summary>Adds a game that was played.</summary>
    internal void Add(string folder, SessionMatch.PlayedMatch played, string? failedWrites)
    {
        var report = played.Report;
        _games.Add(new SeriesGame(
            _games.Count + 1, report.Match, folder, report.Map, report.Seed, report.Ended, played.End.Aborted,
            report.Results, report.Figures.Steps, report.LastGameLoop, report.Seconds, failedWrites));
        retention.Apply(_games);
    }

    /// <summary>Adds a game that could not be started.</summary>
    internal void Add(string folder, StreamedMatch match, string problem)
    {
        var planned = match.PlannedDescription!;
        _games.Add(new SeriesGame(
            _games.Count + 1, planned.MatchId, folder, planned.MapName, planned.Seed, problem, Aborted: true,
            new Dictionary<uint, string>(), 0, 0, 0, null));
    }

    /// <summary>Makes the report of all games so far.</summary>
    internal SeriesReport Report() => new(
        _games,
        _games.Count(game => game.Aborted),
        _games.Count(game => game.FailedWrites is not null),
        new SortedDictionary<uint, int>(_games
            .SelectMany(game => game.Results)
            .Where(result => result.Value == nameof(SC2APIProtocol.Result.Victory))
            .CountBy(result => result.Key)
            .ToDictionary()));

    /// <summary>A table with a row for each game.</summary>
    internal static TextTable Table(IReadOnlyList<SeriesGame> games)
    {
        var table = new TextTable("series", ["game", "map", "result"], "seed", "observations", "game loop");
        foreach (var game in games)
        {
            var results = string.Join(", ", game.Results.Select(result => $"player {result.Key} {result.Value}"));
            table.AddRow(
                Number(game.Game), game.Map, game.Aborted ? "aborted" : results.Length > 0 ? results : game.Ended,
                Number(game.Seed), Number(game.Observations), Number(game.LastGameLoop));
        }

        return table;
    }

    internal void Print(TerminalConsole console)
    {
        console.WriteLine();
        console.Write(Table(_games));
        foreach (var game in _games.Where(game => game.Aborted))
        {
            console.WriteLine($"game {game.Game} was aborted: {game.Ended}");
        }

        var report = Report();
        var won = string.Join(", ", report.Victories.Select(player => $"player {player.Key} won {player.Value}"));
        var failedWrites = report.FailedWrites > 0 ? $", {report.FailedWrites} with files that could not be written" : "";
        console.WriteLine(
            $"{_games.Count} games, {report.Aborted} aborted{failedWrites}{(won.Length > 0 ? $"; {won}" : "")}");
    }

    private static string Number(long number) => number.ToString(CultureInfo.InvariantCulture);
}
