using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Apache.Arrow;
using Apache.Arrow.Types;
using Parquet;
using Parquet.Schema;

namespace Sc2Bridge.Tables;

/// <summary>A column of a table. It stores the values that are not written yet.</summary>
internal abstract class TableColumn(DataField parquet, IArrowType arrow)
{
    /// <summary>The column's name and type in Parquet.</summary>
    internal DataField Parquet => parquet;

    /// <summary>The column's type in Arrow.</summary>
    internal IArrowType Arrow => arrow;

    /// <summary>Adds rows that have no value: null if the column allows it, else 0.</summary>
    internal abstract void AddEmpty(int rows);

    /// <summary>Adds a vector's values. If a row of the vector has several values (<c>width</c>), adds value <c>part</c> of each row.</summary>
    internal abstract void Add(ReadOnlySpan<byte> vector, int part = 0, int width = 1);

    /// <summary>Adds a number, given by its low bits.</summary>
    internal abstract void Add(ulong bits);

    /// <summary>Writes the values into a row group.</summary>
    internal abstract ValueTask WriteAsync(ParquetRowGroupWriter group, CancellationToken ct);

    /// <summary>The values as an Arrow array, valid until the next call.</summary>
    internal abstract IArrowArray ToArray();

    /// <summary>The memory that the values take.</summary>
    internal abstract long Bytes { get; }

    /// <summary>Removes the values.</summary>
    internal abstract void Clear();
}

internal sealed class NumberColumn<T>(string name, IArrowType arrow)
    : TableColumn(new DataField<T>(name), arrow)
    where T : unmanaged
{
    private T[] _values = new T[1024];
    private byte[] _arrow = [];
    private int _count;

    internal void Fill(T value, int rows) => AppendRows(rows).Fill(value);

    internal override void AddEmpty(int rows) => AppendRows(rows).Clear();

    internal override void Add(ReadOnlySpan<byte> vector, int part, int width)
    {
        var values = MemoryMarshal.Cast<byte, T>(vector);
        var rows = AppendRows(values.Length / width);
        if (width == 1)
        {
            values.CopyTo(rows);
            return;
        }

        for (var row = 0; row < rows.Length; row++)
        {
            rows[row] = values[(row * width) + part];
        }
    }

    internal override void Add(ulong bits) => AppendRows(1)[0] = Unsafe.As<ulong, T>(ref bits);

    internal override ValueTask WriteAsync(ParquetRowGroupWriter group, CancellationToken ct) =>
        new(group.WriteAsync<T>(Parquet, _values.AsMemory(0, _count), cancellationToken: ct));

    internal override IArrowArray ToArray()
    {
        var values = _values.AsSpan(0, _count);
        if (typeof(T) == typeof(bool))
        {
            return new BooleanArray.Builder().AppendRange(MemoryMarshal.Cast<T, bool>(values).ToArray()).Build();
        }

        // The array is reused for each batch. Allocating and freeing long arrays fragments the heap.
        if (_arrow.Length < Bytes)
        {
            _arrow = new byte[_values.Length * Unsafe.SizeOf<T>()];
        }

        MemoryMarshal.AsBytes(values).CopyTo(_arrow);
        ArrowBuffer[] buffers = [ArrowBuffer.Empty, new(_arrow.AsMemory(0, (int)Bytes))];
        return ArrowArrayFactory.BuildArray(new ArrayData(Arrow, _count, 0, 0, buffers));
    }

    internal override long Bytes => (long)_count * Unsafe.SizeOf<T>();

    internal override void Clear() => _count = 0;

    private Span<T> AppendRows(int rows)
    {
        if (_count + rows > _values.Length)
        {
            System.Array.Resize(ref _values, Math.Max(_count + rows, 2 * _values.Length));
        }

        _count += rows;
        return _values.AsSpan(_count - rows, rows);
    }
}

internal sealed class TextColumn(string name) : TableColumn(new DataField<string>(name, false), StringType.Default)
{
    private readonly List<string> _values = [];
    private long _characters;

    internal override long Bytes => (sizeof(char) * _characters) + ((long)IntPtr.Size * _values.Count);

    internal void Add(string value)
    {
        _values.Add(value);
        _characters += value.Length;
    }

    internal override void AddEmpty(int rows) => _values.AddRange(Enumerable.Repeat("", rows));

    internal override void Add(ReadOnlySpan<byte> vector, int part, int width) => throw new NotSupportedException();

    internal override void Add(ulong bits) => throw new NotSupportedException();

    internal override ValueTask WriteAsync(ParquetRowGroupWriter group, CancellationToken ct) =>
        new(group.WriteAsync(Parquet, _values));

    internal override IArrowArray ToArray() => new StringArray.Builder().AppendRange(_values).Build();

    internal override void Clear()
    {
        _values.Clear();
        _characters = 0;
    }
}
