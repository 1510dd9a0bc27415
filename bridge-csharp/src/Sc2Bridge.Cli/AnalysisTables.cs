using Sc2Bridge.Recordings.Analysis;
using static Sc2Bridge.Cli.InspectTables;
using static Sc2Bridge.Cli.ProgressDisplay;

namespace Sc2Bridge.Cli;

/// <summary>Prints the analysis of a match.</summary>
internal static class AnalysisTables
{
    // The maximum number of unit types in the column "lost"; --json has all types.
    private const int MaxLostTypes = 3;

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
        [Fights(analysis), Bases(analysis), SupplyAndResources(analysis), Idle(analysis), Errors(analysis)];

    // Each player of a fight has a row, so that the list of lost units fits.
    private static TextTable Fights(MatchAnalysis analysis)
    {
        var table = new TextTable(
            "fights (value: minerals and vespene of the units that a player lost)", ["fight", "player", "lost"],
            "value", "damaged", "seconds", "x", "y");
        foreach (var (number, fight) in analysis.Fights.Index())
        {
            foreach (var side in fight.Sides)
            {
                table.AddRow(
                    $"{number + 1} at {Time(fight.FirstLoop)}",
                    $"{side.PlayerId}{(fight.Ahead == side.PlayerId ? " (ahead)" : "")}",
                    Lost(side.Lost), WholeNumber(side.Minerals + side.Vespene), WholeNumber(side.Damaged),
                    OneDecimal((fight.LastLoop - fight.FirstLoop) / LoopsPerSecond), OneDecimal(fight.X), OneDecimal(fight.Y));
            }
        }

        return table;
    }

    private static string Lost(IReadOnlyList<LostUnits> lost)
    {
        var others = lost.Skip(MaxLostTypes).Sum(units => (long)units.Count);
        var words = lost.Take(MaxLostTypes).Select(units => $"{units.Count} {units.Name}").Concat(others > 0 ? [$"{others} others"] : []);
        return lost.Count > 0 ? string.Join(", ", words) : "–";
    }

    private static TextTable Bases(MatchAnalysis analysis)
    {
        var table = new TextTable("expansions", ["player", "base"], "begun", "finished", "lost", "x", "y");
        foreach (var player in analysis.Players)
        {
            foreach (var hall in player.Bases.Where(hall => hall.IsExpansion))
            {
                table.AddRow(
                    $"{player.PlayerId}", hall.Name, Time(hall.SeenLoop), Time(hall.FinishedLoop), Time(hall.LostLoop), OneDecimal(hall.X),
                    OneDecimal(hall.Y));
            }
        }

        return table;
    }

    private static TextTable SupplyAndResources(MatchAnalysis analysis)
    {
        var table = new TextTable("supply blocks and floating resources", ["player", "what"], "from", "to", "most");
        foreach (var player in analysis.Players)
        {
            foreach (var block in player.SupplyBlocks)
            {
                table.AddRow($"{player.PlayerId}", "supply block", Time(block.FirstLoop), Time(block.LastLoop), "–");
            }

            foreach (var floating in player.Floating)
            {
                table.AddRow(
                    $"{player.PlayerId}", floating.Resource, Time(floating.FirstLoop), Time(floating.LastLoop), WholeNumber(floating.Most));
            }
        }

        return table;
    }

    private static TextTable Idle(MatchAnalysis analysis)
    {
        var table = new TextTable("idle time, as the game's score sums it", ["player"], "production", "workers");
        foreach (var player in analysis.Players.Where(player => player.IdleProduction is not null))
        {
            table.AddRow($"{player.PlayerId}", OneDecimal(player.IdleProduction!.Value), OneDecimal(player.IdleWorkers ?? 0));
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
                table.AddRow($"{player.PlayerId}", error.Kind, WholeNumber(error.Refused), WholeNumber(error.Failed));
            }
        }

        return table;
    }

    private static string Time(uint? loop) => loop is { } known ? FormatClock(known / LoopsPerSecond) : "–";
}
