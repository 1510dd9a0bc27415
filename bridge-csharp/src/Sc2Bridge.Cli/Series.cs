using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>One game of a series, for machines.</summary>
/// <param name="Game">Counts from 1.</param>
/// <param name="Match">The match's name.</param>
/// <param name="Folder">Where its logs and its recording are.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Seed">The game's random seed.</param>
/// <param name="Ended">Why it ended.</param>
/// <param name="Aborted">The game failed, or could not be started: there is no result.</param>
/// <param name="Results">Victory, Defeat … by player id.</param>
/// <param name="Observations">How many there were.</param>
/// <param name="LastGameLoop">The last observation's.</param>
/// <param name="Seconds">From the first step to the end.</param>
/// <param name="FailedWrites">Which of its files could not be written, and why; null where all were.</param>
internal sealed record SeriesGame(
    int Game, string Match, string Folder, string Map, uint Seed, string Ended, bool Aborted,
    IReadOnlyDictionary<uint, string> Results, long Observations, uint LastGameLoop, double Seconds,
    string? FailedWrites)
{
    /// <summary>Whether its files were deleted, for later games' sake.</summary>
    public bool Deleted { get; init; }
}

/// <summary>What a series leaves for machines.</summary>
/// <param name="Games">Each game, in its order.</param>
/// <param name="Aborted">Games that failed.</param>
/// <param name="FailedWrites">Games of which a file could not be written.</param>
/// <param name="Victories">By player id.</param>
internal sealed record SeriesReport(
    IReadOnlyList<SeriesGame> Games, int Aborted, int FailedWrites, IReadOnlyDictionary<uint, int> Victories);

/// <summary>Gathers the games of a series.</summary>
/// <param name="retention">How many of them keep their files.</param>
internal sealed class Series(Retention retention)
{
    private readonly List<SeriesGame> _games = [];

    /// <summary>A game was played.</summary>
    internal void Add(string folder, SessionMatch.Played played, string? failedWrites)
    {
        var report = played.Report;
        _games.Add(new SeriesGame(
            _games.Count + 1, report.Match, folder, report.Map, report.Seed, report.Ended, played.End.Aborted,
            report.Results, report.Figures.Steps, report.LastGameLoop, report.Seconds, failedWrites));
        retention.Apply(_games);
    }

    /// <summary>A game could not be started.</summary>
    internal void Add(string folder, StreamedMatch match, string problem)
    {
        var planned = match.Planned!;
        _games.Add(new SeriesGame(
            _games.Count + 1, planned.MatchId, folder, planned.MapName, planned.Seed, problem, Aborted: true,
            new Dictionary<uint, string>(), 0, 0, 0, null));
    }

    /// <summary>All of it so far.</summary>
    internal SeriesReport Report() => new(
        _games,
        _games.Count(game => game.Aborted),
        _games.Count(game => game.FailedWrites is not null),
        new SortedDictionary<uint, int>(_games
            .SelectMany(game => game.Results)
            .Where(result => result.Value == nameof(SC2APIProtocol.Result.Victory))
            .CountBy(result => result.Key)
            .ToDictionary()));

    /// <summary>A row a game.</summary>
    internal static TextTable Table(IReadOnlyList<SeriesGame> games)
    {
        var table = new TextTable("series", ["game", "map", "result"], "seed", "observations", "game loop");
        foreach (var game in games)
        {
            var results = string.Join(", ", game.Results.Select(result => $"player {result.Key} {result.Value}"));
            table.Add(
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
