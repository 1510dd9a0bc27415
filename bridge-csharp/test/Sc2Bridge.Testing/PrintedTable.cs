using Sc2Bridge.Terminal;
using Spectre.Console;

namespace Sc2Bridge.Testing;

/// <summary>The appearance of a printed table.</summary>
public static class PrintedTable
{
    /// <summary>Common widths of terminals, and a file's.</summary>
    public static TheoryData<int> Widths => [80, 100, 120, 4096];

    /// <summary>Expects that every cell is complete on one line, within the width, under its column's header.</summary>
    public static void HoldsEveryCell(TextTable table, int width)
    {
        var text = new StringWriter();
        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(text),
        });
        console.Profile.Width = width;
        console.Write(table);
        var lines = text.ToString().Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        Assert.DoesNotContain('…', text.ToString());
        Assert.All(lines, line => Assert.True(line.Length <= width, $"{line.Length} letters: {line}"));

        // Blocks with one line for each row, each with a header and a line above them.
        Assert.NotEmpty(table.Rows);
        var rules = lines.Index().Where(line => line.Item.StartsWith('─')).Select(line => line.Index).ToList();
        Assert.Equal(rules.Count * (table.Rows.Count + 2), lines.Length - rules[0] + 1);
        foreach (var (index, row) in table.Rows.Index())
        {
            var printed = rules.ConvertAll(rule => lines[rule + 1 + index]);
            Assert.All(row, cell => Assert.Contains(
                printed, line => $"  {line}  ".Contains($"  {cell}  ", StringComparison.Ordinal)));
        }
    }
}
