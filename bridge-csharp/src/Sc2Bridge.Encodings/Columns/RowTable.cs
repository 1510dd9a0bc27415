using System.Numerics;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Rows of one layout, stored by column. The memory is pinned and reused. Values that were not written are 0.
/// </summary>
internal sealed unsafe class RowTable(RowLayout layout)
{
    private const int FewestRows = 64;

    // Many times the number of units in a real match. An empty unit takes two bytes in a message and about 180 bytes in the table. Without
    // this limit, a malicious message could take a hundred times its own length in memory.
    private const int MostRows = 1 << 18;
    private const int CacheLine = 64;

    private byte[] _memory = [];
    private readonly nint[] _columns = GC.AllocateArray<nint>(RowLayout.FieldLimit, pinned: true);
    private int _capacity;

    public RowLayout Layout => layout;

    /// <summary>The number of rows.</summary>
    public int Count { get; private set; }

    /// <summary>The fields that at least one row has, as bits. The code that writes rows sets the bits.</summary>
    public ulong PresentFields { get; set; }

    /// <summary>The memory that the table keeps.</summary>
    public int HeldBytes => _memory.Length;

    /// <summary>
    /// The start of each column, by field number; column 0 is <c>present</c>. Valid until the next <see cref="Reset"/> or <see cref="Add"/>.
    /// </summary>
    public nint* Columns => (nint*)Unsafe.AsPointer(ref _columns[0]);

    /// <summary>Replaces all rows with the given number of rows of zeros.</summary>
    public void Reset(int rows)
    {
        if (Count > 0)
        {
            Clear();
        }

        PresentFields = 0;
        Count = rows;
        if (rows > _capacity)
        {
            Resize(rows, kept: 0);
        }
    }

    /// <summary>Adds a row with zeros and returns its number.</summary>
    public int Add()
    {
        if (Count == _capacity)
        {
            Resize(Count + 1, kept: Count);
        }

        return Count++;
    }

    /// <summary>A column's values.</summary>
    /// <param name="number">The field number, or 0 for <c>present</c>.</param>
    public ReadOnlySpan<byte> Vector(int number) => Values(number, Count);

    // Sets written values to 0. Columns that were not written still contain only zeros.
    private void Clear()
    {
        Values(0, Count).Clear();
        foreach (var number in layout.Numbers)
        {
            if ((PresentFields >> number & 1) != 0)
            {
                Values(number, Count).Clear();
            }
        }
    }

    private Span<byte> Values(int number, int rows) => new((void*)_columns[number], checked(rows * Size(number)));

    private int Size(int number) => number == 0 ? layout.PresentSize : layout.Sizes[number];

    private void Resize(int rows, int kept)
    {
        if (rows > MostRows)
        {
            throw new EncodingException(
                "The observation cannot be written as columns: it has more than "
                + $"{MostRows} units, or items in one of their lists.");
        }

        var capacity = Math.Clamp(rows + rows / 2, FewestRows, MostRows);
        var memory = GC.AllocateArray<byte>(
            CacheLine + ColumnBytes(0, capacity) + layout.Numbers.Sum(number => ColumnBytes(number, capacity)), pinned: true);
        var at = (nint)Unsafe.AsPointer(ref memory[0]);
        at += -at & (CacheLine - 1);
        Move(0);
        foreach (var number in layout.Numbers)
        {
            Move(number);
        }

        _memory = memory;
        _capacity = capacity;

        void Move(int number)
        {
            if (kept > 0)
            {
                Values(number, kept).CopyTo(new Span<byte>((void*)at, kept * Size(number)));
            }

            _columns[number] = at;
            at += ColumnBytes(number, capacity);
        }
    }

    // An odd number of cache lines spreads a row's values, one in each column, over the sets of the cache. If columns began
    // at multiples of 4096 bytes, the values would all fall into the same set and evict each other.
    private int ColumnBytes(int number, int rows)
    {
        var lines = (checked(rows * Size(number)) + CacheLine - 1) / CacheLine;
        return (lines | 1) * CacheLine;
    }
}
