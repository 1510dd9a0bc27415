using System.Globalization;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>
/// One of the tables beside this file: tab-separated, a comment line with its source, a line of column names.
/// </summary>
internal sealed class FactTable
{
    /// <summary>Game loops in a second of the game's data ("normal").</summary>
    public const int LoopsPerSecond = 16;

    /// <summary>Texts that are read in place of the program's files. Tests put files with additions here.</summary>
    internal static readonly Dictionary<string, string> Replaced = [];

    private readonly Dictionary<string, int> _columns;
    private readonly string[][] _rows;

    private FactTable(string[][] lines)
    {
        _columns = lines[0].Select((name, i) => (name, i)).ToDictionary(c => c.name, c => c.i);
        _rows = lines[1..];
    }

    /// <summary>The rows.</summary>
    public IEnumerable<Row> Rows => _rows.Select(cells => new Row(_columns, cells));

    /// <summary>Reads a table.</summary>
    /// <param name="name">Its file's, without the ending.</param>
    public static FactTable Read(string name)
    {
        var lines = Text(name).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return new FactTable([.. lines.Where(line => line[0] != '#').Select(line => line.Split('\t'))]);
    }

    /// <summary>The text of a file in this folder.</summary>
    /// <param name="name">Its name without the ending.</param>
    public static string Text(string name)
    {
        if (Replaced.TryGetValue(name, out var text))
        {
            return text;
        }

        using var stream = typeof(FactTable).Assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The program has no table {name}: build it again.");
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }

    /// <summary>A row, read by the columns' names; an empty cell is 0, "" or false.</summary>
    internal readonly struct Row(Dictionary<string, int> columns, string[] cells)
    {
        /// <summary>A cell's text.</summary>
        public string Text(string column) => columns[column] < cells.Length ? cells[columns[column]] : "";

        /// <summary>Whether a cell holds anything.</summary>
        public bool Has(string column) => Text(column).Length > 0;

        /// <summary>Seconds at normal speed, in game loops.</summary>
        public int Loops(string column) => Scaled(column, LoopsPerSecond);

        /// <summary>Whether a cell holds <c>yes</c>.</summary>
        public bool Yes(string column) => Text(column) == "yes";

        /// <summary>A cell's whole number.</summary>
        public int Int(string column) => (int)Number(Text(column));

        /// <summary>A cell's number, as the game's single precision.</summary>
        public float Float(string column) => (float)Number(Text(column));

        /// <summary>
        /// A cell's number times <paramref name="scale"/>, rounded: 4096 makes cells into parts of one.
        /// </summary>
        public int Scaled(string column, int scale) => Scale(Text(column), scale);

        /// <summary>A list's parts.</summary>
        public string[] List(string column, char separator) =>
            Text(column).Split(separator, StringSplitOptions.RemoveEmptyEntries);

        /// <summary>A list's whole numbers.</summary>
        public int[] Numbers(string column) => [.. List(column, ' ').Select(part => Scale(part, 1))];

        /// <summary>A number of a list.</summary>
        public static int Scale(string text, int scale) => (int)Math.Round(Number(text) * scale);

        private static decimal Number(string text) =>
            text.Length == 0 ? 0 : decimal.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
    }
}
