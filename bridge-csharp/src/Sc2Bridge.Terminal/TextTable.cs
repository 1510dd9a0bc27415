using Sc2Bridge.Streaming;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Sc2Bridge.Terminal;

/// <summary>
/// A table for people: one line a row, and no cell cut or broken, however narrow the terminal is. Columns that find no
/// room stand in a further block below, with the rows' names again. Title and cells are escaped.
/// </summary>
public sealed class TextTable : Renderable
{
    private const string Gap = "  ";

    private readonly string[] _heads;
    private readonly int _words;
    private readonly List<string[]> _rows = [];

    /// <summary>An empty table.</summary>
    /// <param name="title">Above it.</param>
    /// <param name="words">Columns of words, which begin at their left side: the first is the row's name, at least one.</param>
    /// <param name="figures">Columns of figures, which end at their right side; each head has its unit.</param>
    public TextTable(string title, IReadOnlyList<string> words, params IReadOnlyList<string> figures)
    {
        ArgumentNullException.ThrowIfNull(words);
        Title = PlainText.Escape(title);
        _words = words.Count;
        _heads = [.. words, .. figures];
    }

    /// <summary>Above the table.</summary>
    public string Title { get; }

    /// <summary>The rows so far: a cell for each column.</summary>
    public IReadOnlyList<IReadOnlyList<string>> Rows => _rows;

    /// <summary>Adds a row.</summary>
    /// <param name="cells">One for each column.</param>
    public void Add(params IReadOnlyList<string> cells)
    {
        ArgumentNullException.ThrowIfNull(cells);
        if (cells.Count != _heads.Length)
        {
            throw new ArgumentException($"{cells.Count} cells in a table of {_heads.Length} columns", nameof(cells));
        }

        _rows.Add([.. cells.Select(PlainText.Escape)]);
    }

    /// <summary>The table as text.</summary>
    /// <param name="width">Letters in a line; a name and one figure are printed even where they take more.</param>
    public IReadOnlyList<string> Lines(int width)
    {
        List<string> lines = [.. Wrapped(Title, width)];
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

    // A title may be longer than a line; a cell is not.
    private static IEnumerable<string> Wrapped(string title, int width)
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
        block.Select(column => column < _words
            ? cells[column].PadRight(widths[column])
            : cells[column].PadLeft(widths[column]))).TrimEnd();
}
