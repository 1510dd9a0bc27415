using System.Globalization;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>A table in this folder: comment lines with its source, a line of column names, and tab-separated rows.</summary>
internal sealed class FactTable
{
    /// <summary>Game loops in a second of the game's data ("normal").</summary>
    public const int LoopsPerSecond = 16;

    /// <summary>Texts that replace the program's tables. Tests put tables with additions here.</summary>
    internal static readonly Dictionary<string, string> Replaced = [];

    private readonly Dictionary<string, int> _columns;
    private readonly string[][] _rows;

    private FactTable(string[][] lines)
    {
        _columns = lines[0].Select((name, i) => (name, i)).ToDictionary(c => c.name, c => c.i);
        _rows = lines[1..];
    }

    public IEnumerable<Row> Rows => _rows.Select(cells => new Row(_columns, cells));

    /// <summary>Reads a table.</summary>
    /// <param name="name">The file's name without its extension.</param>
    public static FactTable Read(string name)
    {
        var lines = Text(name).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return new FactTable([.. lines.Where(line => line[0] != '#').Select(line => line.Split('\t'))]);
    }

    /// <summary>The text of a file in this folder.</summary>
    /// <param name="name">The file's name without its extension.</param>
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

    /// <summary>A row. Its cells are read by the columns' names. An empty cell is 0, "" or false.</summary>
    internal readonly struct Row(Dictionary<string, int> columns, string[] cells)
    {
        /// <summary>A cell's text.</summary>
        public string Text(string column) => columns[column] < cells.Length ? cells[columns[column]] : "";

        /// <summary>Whether a cell is not empty.</summary>
        public bool Has(string column) => Text(column).Length > 0;

        /// <summary>A cell with seconds at normal speed, converted to game loops.</summary>
        public int Loops(string column) => Scaled(column, LoopsPerSecond);

        /// <summary>Whether a cell is <c>yes</c>.</summary>
        public bool Yes(string column) => Text(column) == "yes";

        /// <summary>A cell with a whole number.</summary>
        public int Int(string column) => (int)Number(Text(column));

        /// <summary>A cell with a number, in single precision as in the game.</summary>
        public float Float(string column) => (float)Number(Text(column));

        /// <summary>
        /// A cell's number times <paramref name="scale"/>, rounded. For example, 4096 converts cells to 1/4096 of a cell.
        /// </summary>
        public int Scaled(string column, int scale) => Scale(Text(column), scale);

        /// <summary>The parts of a cell with a list.</summary>
        public string[] List(string column, char separator) =>
            Text(column).Split(separator, StringSplitOptions.RemoveEmptyEntries);

        /// <summary>The whole numbers of a cell with a list.</summary>
        public int[] Numbers(string column) => [.. List(column, ' ').Select(part => Scale(part, 1))];

        /// <summary>A number times a scale, rounded.</summary>
        public static int Scale(string text, int scale) => (int)Math.Round(Number(text) * scale);

        private static decimal Number(string text) =>
            text.Length == 0 ? 0 : decimal.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
    }
}
