using Apache.Arrow.Types;

namespace Sc2Bridge.Tables;

/// <summary>Rows that are not written yet.</summary>
internal sealed class Table
{
    private readonly NumberColumn<uint> _perspective = new("perspective", UInt32Type.Default);
    private readonly NumberColumn<ulong> _step = new("step", UInt64Type.Default);
    private readonly NumberColumn<uint> _loop = new("game_loop", UInt32Type.Default);

    /// <summary>A table.</summary>
    /// <param name="name">Its file's name.</param>
    /// <param name="columns">Its columns.</param>
    /// <param name="ofObservations">
    /// Whether rows belong to observations: then the perspective, step and game loop are columns before those.
    /// </param>
    internal Table(string name, IEnumerable<TableColumn> columns, bool ofObservations = true)
    {
        Name = name;
        Columns = ofObservations ? [_perspective, _step, _loop, .. columns] : [.. columns];
    }

    /// <summary>Its file's name.</summary>
    internal string Name { get; }

    /// <summary>All of them.</summary>
    internal IReadOnlyList<TableColumn> Columns { get; }

    /// <summary>Rows that wait.</summary>
    internal int Rows { get; private set; }

    /// <summary>What the rows that wait take in memory.</summary>
    internal long Bytes => Columns.Sum(column => column.Bytes);

    /// <summary>Rows in all.</summary>
    internal long Total { get; private set; }

    /// <summary>Rows of an observation that were added to its own columns.</summary>
    internal void Added(int rows, uint perspective, ulong step, uint loop)
    {
        _perspective.Fill(perspective, rows);
        _step.Fill(step, rows);
        _loop.Fill(loop, rows);
        Added(rows);
    }

    /// <summary>Counts rows that were added to the columns.</summary>
    internal void Added(int rows = 1)
    {
        Rows += rows;
        Total += rows;
    }

    /// <summary>Forgets the rows that wait.</summary>
    internal void Clear()
    {
        foreach (var column in Columns)
        {
            column.Clear();
        }

        Rows = 0;
    }
}
