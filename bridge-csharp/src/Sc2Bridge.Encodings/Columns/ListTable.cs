namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// The lists that units have in one of their fields: the items end to end, and where each unit's begin.
/// </summary>
internal sealed unsafe class ListTable(int number, RowLayout layout)
{
    private int[] _offsets = [];
    private int _filled;

    /// <summary>The field's number.</summary>
    public int Number => number;

    public RowTable Items { get; } = new(layout);

    /// <summary>Bytes that the table holds on to.</summary>
    public int HeldBytes => Items.HeldBytes + _offsets.Length * sizeof(int);

    /// <summary>Forgets all items.</summary>
    public void Begin()
    {
        Items.Begin(0);
        _filled = 0;
    }

    /// <summary>A new item's row, of a unit that is none before the last one's.</summary>
    public int Add(int unit)
    {
        FillTo(unit + 1);
        return Items.Add();
    }

    /// <summary>The same with the item's value, where items are numbers.</summary>
    public void Add(int unit, uint value)
    {
        var row = Add(unit);
        var column = layout.Numbers[0];
        ((uint*)Items.Columns[column])[row] = value;
        Items.Any |= 1UL << column;
    }

    /// <summary>The offsets of so many units, and behind them the number of items.</summary>
    public ReadOnlySpan<int> Offsets(int units)
    {
        FillTo(units + 1);
        return _offsets.AsSpan(0, units + 1);
    }

    /// <summary>An item's value in <c>present</c>: the bits of a point's parts come down to 13 to 15.</summary>
    public static ushort Present(ulong mask) => (ushort)(mask | mask >> (RowLayout.XBit - 13));

    private void FillTo(int end)
    {
        if (end > _offsets.Length)
        {
            Array.Resize(ref _offsets, Math.Max(1024, checked(end + end / 2)));
        }

        for (; _filled < end; _filled++)
        {
            _offsets[_filled] = Items.Count;
        }
    }
}
