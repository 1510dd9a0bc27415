using Sc2Bridge.Recordings.Analysis;
using static Sc2Bridge.Cli.InspectTables;
using static Sc2Bridge.Cli.ProgressDisplay;

namespace Sc2Bridge.Cli;

/// <summary>Prints the analysis of a match.</summary>
internal static class AnalysisTables
{
    // Of the units that a side lost; --json has all of them.
    private const int MostTypes = 3;

    internal static void Print(TerminalConsole console, MatchAnalysis analysis)
    {
        foreach (var table in Of(analysis))
        {
            console.WriteLine();
            if (table.Rows.Count > 0)
            {
                console.Write(table);
            }
            else
            {
                console.WriteLine($"{table.Title}: none");
            }
        }

        if (analysis.Players.Where(player => !player.IsObserved).Select(player => player.PlayerId).ToList() is { Count: > 0 } others)
        {
            console.WriteLine();
            console.WriteLine(
                $"supply, resources and idle times of player {string.Join(", ", others)} are unknown: the recording lacks "
                + $"{(others.Count == 1 ? "that player's own perspective" : "these players' own perspectives")}");
        }
    }

    internal static IEnumerable<TextTable> Of(MatchAnalysis analysis) =>
        [Fights(analysis), Bases(analysis), Spans(analysis), Idle(analysis), Errors(analysis)];

    // A row for each side, so that its losses have room.
    private static TextTable Fights(MatchAnalysis analysis)
    {
        var table = new TextTable(
            "fights (value: minerals and vespene of the units that a player lost)", ["fight", "player", "lost"],
            "value", "damaged", "seconds", "x", "y");
        foreach (var (number, fight) in analysis.Fights.Index())
        {
            foreach (var side in fight.Sides)
            {
                table.Add(
                    $"{number + 1} at {Time(fight.FirstLoop)}",
                    $"{side.PlayerId}{(fight.Ahead == side.PlayerId ? " (ahead)" : "")}",
                    Lost(side.Lost), Whole(side.Minerals + side.Vespene), Whole(side.Damaged),
                    Short((fight.LastLoop - fight.FirstLoop) / LoopsPerSecond), Short(fight.X), Short(fight.Y));
            }
        }

        return table;
    }

    private static string Lost(IReadOnlyList<LostUnits> lost)
    {
        var others = lost.Skip(MostTypes).Sum(units => (long)units.Count);
        var words = lost.Take(MostTypes).Select(units => $"{units.Count} {units.Name}").Concat(others > 0 ? [$"{others} others"] : []);
        return lost.Count > 0 ? string.Join(", ", words) : "–";
    }

    private static TextTable Bases(MatchAnalysis analysis)
    {
        var table = new TextTable("expansions", ["player", "base"], "begun", "finished", "lost", "x", "y");
        foreach (var player in analysis.Players)
        {
            foreach (var hall in player.Bases.Where(hall => hall.IsExpansion))
            {
                table.Add(
                    $"{player.PlayerId}", hall.Name, Time(hall.SeenLoop), Time(hall.FinishedLoop), Time(hall.LostLoop), Short(hall.X),
                    Short(hall.Y));
            }
        }

        return table;
    }

    private static TextTable Spans(MatchAnalysis analysis)
    {
        var table = new TextTable("supply blocks and floating resources", ["player", "what"], "from", "to", "most");
        foreach (var player in analysis.Players)
        {
            foreach (var block in player.SupplyBlocks)
            {
                table.Add($"{player.PlayerId}", "supply block", Time(block.FirstLoop), Time(block.LastLoop), "–");
            }

            foreach (var floating in player.Floating)
            {
                table.Add(
                    $"{player.PlayerId}", floating.Resource, Time(floating.FirstLoop), Time(floating.LastLoop), Whole(floating.Most));
            }
        }

        return table;
    }

    private static TextTable Idle(MatchAnalysis analysis)
    {
        var table = new TextTable("idle time, as the game's score sums it", ["player"], "production", "workers");
        foreach (var player in analysis.Players.Where(player => player.IdleProduction is not null))
        {
            table.Add($"{player.PlayerId}", Short(player.IdleProduction!.Value), Short(player.IdleWorkers ?? 0));
        }

        return table;
    }

    private static TextTable Errors(MatchAnalysis analysis)
    {
        var table = new TextTable("actions that failed", ["player", "why"], "refused", "failed later");
        foreach (var player in analysis.Players)
        {
            foreach (var error in player.Errors)
            {
                table.Add($"{player.PlayerId}", error.Kind, Whole(error.Refused), Whole(error.Failed));
            }
        }

        return table;
    }

    private static string Time(uint? loop) => loop is { } known ? Clock(known / LoopsPerSecond) : "–";
}
