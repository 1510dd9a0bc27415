using Sc2Bridge.Streaming;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Sc2Bridge.Terminal;

/// <summary>
/// A table with one line for each row. Cells are never cut or wrapped. Columns that do not fit into the terminal's width
/// are printed in another block below, which repeats the names of the rows. Control characters are escaped.
/// </summary>
public sealed class TextTable : Renderable
{
    private const string Gap = "  ";

    private readonly string[] _heads;
    private readonly int _textColumns;
    private readonly List<string[]> _rows = [];

    /// <summary>An empty table.</summary>
    /// <param name="title">The table's title.</param>
    /// <param name="textHeads">The heads of the text columns, aligned left. At least one is required: the first column has the names of the rows.</param>
    /// <param name="numberHeads">The heads of the number columns, aligned right. A head contains the unit.</param>
    public TextTable(string title, IReadOnlyList<string> textHeads, params IReadOnlyList<string> numberHeads)
    {
        ArgumentNullException.ThrowIfNull(textHeads);
        Title = PlainText.Escape(title);
        _textColumns = textHeads.Count;
        _heads = [.. textHeads, .. numberHeads];
    }

    /// <summary>The table's title.</summary>
    public string Title { get; }

    /// <summary>The rows so far. Each row has one cell for each column.</summary>
    public IReadOnlyList<IReadOnlyList<string>> Rows => _rows;

    /// <summary>Adds a row.</summary>
    /// <param name="cells">One cell for each column.</param>
    public void AddRow(params IReadOnlyList<string> cells)
    {
        ArgumentNullException.ThrowIfNull(cells);
        if (cells.Count != _heads.Length)
        {
            throw new ArgumentException($"{cells.Count} cells in a table of {_heads.Length} columns", nameof(cells));
        }

        _rows.Add([.. cells.Select(PlainText.Escape)]);
    }

    /// <summary>The table as text.</summary>
    /// <param name="width">The width in characters. A row name and one number are printed even if they are wider.</param>
    public IReadOnlyList<string> Lines(int width)
    {
        List<string> lines = [.. WrapTitle(Title, width)];
        var widths = Enumerable.Range(0, _heads.Length)
            .Select(column => _rows.Select(row => row[column].Length).Append(_heads[column].Length).Max()).ToArray();
        for (var next = 1; next < _heads.Length;)
        {
            List<int> block = [0];
            var used = widths[0];
            while (next < _heads.Length && (block.Count == 1 || used + Gap.Length + widths[next] <= width))
            {
                used += Gap.Length + widths[next];
                block.Add(next++);
            }

            lines.Add(Line(_heads, block, widths));
            lines.Add(string.Join(Gap, block.Select(column => new string('─', widths[column]))));
            lines.AddRange(_rows.Select(row => Line(row, block, widths)));
        }

        return lines;
    }

    /// <inheritdoc/>
    protected override IEnumerable<Segment> Render(RenderOptions options, int maxWidth)
    {
        foreach (var line in Lines(maxWidth))
        {
            yield return new Segment(line);
            yield return Segment.LineBreak;
        }
    }

    // Only a title may be wrapped. Cells are not wrapped.
    private static IEnumerable<string> WrapTitle(string title, int width)
    {
        while (title.Length > width && title.LastIndexOf(' ', width) is > 0 and var space)
        {
            yield return title[..space];
            title = title[(space + 1)..];
        }

        yield return title;
    }

    private string Line(string[] cells, List<int> block, int[] widths) => string.Join(
        Gap,
        block.Select(column => column < _textColumns
            ? cells[column].PadRight(widths[column])
            : cells[column].PadLeft(widths[column]))).TrimEnd();
}
