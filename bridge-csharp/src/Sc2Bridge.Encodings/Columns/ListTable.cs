namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// A table with the items that all units have in one repeated field. Also stores the row of the first item of each unit.
/// </summary>
internal sealed unsafe class ListTable(int number, RowLayout layout)
{
    private int[] _offsets = [];
    private int _offsetCount;

    public int Number => number;

    public RowTable Items { get; } = new(layout);

    /// <summary>The memory that the table keeps.</summary>
    public int HeldBytes => Items.HeldBytes + _offsets.Length * sizeof(int);

    /// <summary>Removes all items.</summary>
    public void Reset()
    {
        Items.Reset(0);
        _offsetCount = 0;
    }

    /// <summary>Adds a row for an item. Items must be added in ascending order of their units.</summary>
    public int Add(int unit)
    {
        FillTo(unit + 1);
        return Items.Add();
    }

    /// <summary>Adds an item that is a number.</summary>
    public void Add(int unit, uint value)
    {
        var row = Add(unit);
        var column = layout.Numbers[0];
        ((uint*)Items.Columns[column])[row] = value;
        Items.PresentFields |= 1UL << column;
    }

    /// <summary>For each unit, the row of its first item. The last number is the total number of items.</summary>
    public ReadOnlySpan<int> Offsets(int units)
    {
        FillTo(units + 1);
        return _offsets.AsSpan(0, units + 1);
    }

    /// <summary>An item's <c>present</c> value. The bits for x, y and z of a point move down to bits 13 to 15.</summary>
    public static ushort Present(ulong mask) => (ushort)(mask | mask >> (RowLayout.XBit - 13));

    private void FillTo(int end)
    {
        if (end > _offsets.Length)
        {
            Array.Resize(ref _offsets, Math.Max(1024, checked(end + end / 2)));
        }

        for (; _offsetCount < end; _offsetCount++)
        {
            _offsets[_offsetCount] = Items.Count;
        }
    }
}
