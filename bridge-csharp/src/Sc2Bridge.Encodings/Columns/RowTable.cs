using System.Numerics;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Rows of one layout, column by column, in memory that does not move and is used again. What was not written is 0.
/// </summary>
internal sealed unsafe class RowTable(RowLayout layout)
{
    private const int FewestRows = 64;

    // Many times what a match can have. An empty unit takes two bytes of a message and some 180 of the table, so that
    // an absurd message would want a hundred times its own length.
    private const int MostRows = 1 << 18;
    private const int CacheLine = 64;

    private byte[] _memory = [];
    private readonly nint[] _columns = GC.AllocateArray<nint>(RowLayout.FieldLimit, pinned: true);
    private int _capacity;

    /// <summary>The columns' types.</summary>
    public RowLayout Layout => layout;

    /// <summary>Rows in use.</summary>
    public int Count { get; private set; }

    /// <summary>The fields that any row has, as bits: who writes rows says so.</summary>
    public ulong Any { get; set; }

    /// <summary>Bytes that the table holds on to.</summary>
    public int HeldBytes => _memory.Length;

    /// <summary>
    /// Where the columns begin, by field number; at 0 that of <c>present</c>. Good until the next <see cref="Begin"/>
    /// or
    /// <see cref="Add"/>.
    /// </summary>
    public nint* Columns => (nint*)Unsafe.AsPointer(ref _columns[0]);

    /// <summary>Forgets all rows, and has so many of zeros.</summary>
    public void Begin(int rows)
    {
        if (Count > 0)
        {
            Clear();
        }

        Any = 0;
        Count = rows;
        if (rows > _capacity)
        {
            Resize(rows, kept: 0);
        }
    }

    /// <summary>One more row of zeros; its number.</summary>
    public int Add()
    {
        if (Count == _capacity)
        {
            Resize(Count + 1, kept: Count);
        }

        return Count++;
    }

    /// <summary>A column's values.</summary>
    /// <param name="number">The field's, or 0 for <c>present</c>.</param>
    public ReadOnlySpan<byte> Vector(int number) => Values(number, Count);

    // Columns that were not written are zeros still.
    private void Clear()
    {
        Values(0, Count).Clear();
        foreach (var number in layout.Numbers)
        {
            if ((Any >> number & 1) != 0)
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
                "The observation cannot be written as columns: it has more units, or items of one of their lists, than "
                + $"the {MostRows} that are taken.");
        }

        var capacity = Math.Clamp(rows + rows / 2, FewestRows, MostRows);
        var memory = GC.AllocateArray<byte>(
            CacheLine + Space(0, capacity) + layout.Numbers.Sum(number => Space(number, capacity)), pinned: true);
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
            at += Space(number, capacity);
        }
    }

    // An odd number of cache lines: a row's values, one in each column, are then spread over the cache's sets and do
    // not push each other out, as they would at multiples of 4096 bytes.
    private int Space(int number, int rows)
    {
        var lines = (checked(rows * Size(number)) + CacheLine - 1) / CacheLine;
        return (lines | 1) * CacheLine;
    }
}
