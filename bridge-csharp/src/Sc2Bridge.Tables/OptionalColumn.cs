using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Apache.Arrow;
using Apache.Arrow.Types;
using Parquet;
using Parquet.Schema;

namespace Sc2Bridge.Tables;

/// <summary>A column of numbers that may be null.</summary>
internal sealed class OptionalColumn<T>(string name, IArrowType arrow) : TableColumn(new DataField<T?>(name), arrow)
    where T : unmanaged
{
    private readonly List<T?> _values = [];

    internal override long Bytes => (long)_values.Count * Unsafe.SizeOf<T?>();

    internal override void AddEmpty(int rows) => _values.AddRange(Enumerable.Repeat<T?>(null, rows));

    internal override void Add(ulong bits) => _values.Add(Unsafe.As<ulong, T>(ref bits));

    internal override void Add(ReadOnlySpan<byte> vector, int part, int width) => throw new NotSupportedException();

    internal override ValueTask WriteAsync(ParquetRowGroupWriter group, CancellationToken ct) =>
        new(group.WriteAsync<T>(Parquet, _values.ToArray().AsMemory(), cancellationToken: ct));

    internal override IArrowArray ToArray()
    {
        var present = new ArrowBuffer.BitmapBuilder();
        present.AppendRange(_values.Select(value => value.HasValue));
        T[] values = [.. _values.Select(value => value ?? default)];
        ArrowBuffer[] buffers = [present.Build(), new(MemoryMarshal.AsBytes(values.AsSpan()).ToArray())];
        return ArrowArrayFactory.BuildArray(new ArrayData(Arrow, values.Length, present.UnsetBitCount, 0, buffers));
    }

    internal override void Clear() => _values.Clear();
}
