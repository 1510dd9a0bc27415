using System.Globalization;

namespace Sc2Bridge.Bench;

/// <summary>Prints a command's report for people.</summary>
/// <param name="console">The terminal, or a file.</param>
internal sealed class Output(TerminalConsole console)
{
    public void Line(string text) => console.WriteLine(text);

    /// <summary>What was measured on, with what.</summary>
    public void Facts(IEnumerable<(string Name, string Words)> facts)
    {
        foreach (var (name, words) in facts)
        {
            console.WriteLine($"{name,-10}{words}");
        }
    }

    /// <summary>Facts of a benchmark that sends frames.</summary>
    public void Frames(Machine machine, string origin, double bytes) =>
        Facts([.. machine.Facts(), ("frames", $"{origin}, {Kib(bytes)} KiB on average")]);

    /// <summary>Which client measured which rows.</summary>
    public void Clients(IEnumerable<(string Client, string Row)> rows)
    {
        foreach (var client in rows.GroupBy(row => row.Client, row => row.Row))
        {
            console.WriteLine($"{client.Key}: {string.Join("; ", client)}");
        }
    }

    /// <summary>A table with a row for each of some things; the first column has their names.</summary>
    public static TextTable TableOf<T>(string title, IEnumerable<T> rows, params (string Head, Func<T, string> Cell)[] columns)
    {
        string[] heads = [.. columns.Select(column => column.Head)];
        var table = new TextTable(title, heads[..1], heads[1..]);
        foreach (var row in rows)
        {
            table.AddRow([.. columns.Select(column => column.Cell(row))]);
        }

        return table;
    }

    public void Table<T>(string title, IEnumerable<T> rows, params (string Head, Func<T, string> Cell)[] columns) =>
        Table(TableOf(title, rows, columns));

    public void Table(TextTable table)
    {
        console.WriteLine();
        console.Write(table);
    }

    /// <summary>A number without decimals. A dash if it is missing.</summary>
    public static string Whole(double? value) => Text(value, "N0");

    /// <summary>A number with one, two or three decimals.</summary>
    public static string Fixed(double? value, int decimals) => Text(value, $"N{decimals}");

    public static string Kib(double? bytes) => Text(bytes / 1024, "N1");

    public static string Ms(double? us) => Text(us / 1000, "N3");

    /// <summary>The median of some rounds and their ends, as <c>12 (10–14)</c>.</summary>
    public static string Spread(Spread spread, int decimals = 0) => double.IsNaN(spread.Median)
        ? "–"
        : $"{Fixed(spread.Median, decimals)} ({Fixed(spread.Least, decimals)}–{Fixed(spread.Most, decimals)})";

    private static string Text(double? value, string format) =>
        value is { } number && double.IsFinite(number) ? number.ToString(format, CultureInfo.InvariantCulture) : "–";
}
