using Apache.Arrow.Types;

namespace Sc2Bridge.Tables;

/// <summary>A table's columns, with the rows that are not written yet.</summary>
internal sealed class Table
{
    private readonly NumberColumn<uint> _perspective = new("perspective", UInt32Type.Default);
    private readonly NumberColumn<ulong> _step = new("step", UInt64Type.Default);
    private readonly NumberColumn<uint> _loop = new("game_loop", UInt32Type.Default);

    // isOfObservations: whether the rows belong to observations. If so, the perspective, step and game loop are the first columns.
    internal Table(string name, IEnumerable<TableColumn> columns, bool isOfObservations = true)
    {
        Name = name;
        Columns = isOfObservations ? [_perspective, _step, _loop, .. columns] : [.. columns];
    }

    /// <summary>The name of the table's file, without the extension.</summary>
    internal string Name { get; }

    internal IReadOnlyList<TableColumn> Columns { get; }

    /// <summary>The number of rows that are not written yet.</summary>
    internal int Rows { get; private set; }

    /// <summary>The memory of the rows that are not written yet.</summary>
    internal long Bytes => Columns.Sum(column => column.Bytes);

    /// <summary>The number of rows that were added so far.</summary>
    internal long TotalRows { get; private set; }

    /// <summary>Counts rows of an observation, after they were added to the other columns. Fills the first three columns.</summary>
    internal void CountRows(int rows, uint perspective, ulong step, uint loop)
    {
        _perspective.Fill(perspective, rows);
        _step.Fill(step, rows);
        _loop.Fill(loop, rows);
        CountRows(rows);
    }

    /// <summary>Counts rows that were added to the columns.</summary>
    internal void CountRows(int rows = 1)
    {
        Rows += rows;
        TotalRows += rows;
    }

    /// <summary>Removes the rows, after they were written.</summary>
    internal void Clear()
    {
        foreach (var column in Columns)
        {
            column.Clear();
        }

        Rows = 0;
    }
}
