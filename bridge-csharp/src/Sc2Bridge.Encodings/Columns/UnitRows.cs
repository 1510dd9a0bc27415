using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Reads the units of frames into columns. Most units have the same bytes as in the frame before, so their rows are copied from there. The
/// memory of both frames must not move. Not thread-safe.
/// </summary>
internal sealed unsafe class UnitRows : PointerReader, IDisposable
{
    // Units that appear or die move the units after them. Each time, all later rows are copied again.
    private const int MostMoves = 64;

    // Units that appear, or change more than floats, take another shape.
    private const int ShapesForRow = 4;
    private const int MostShapes = 1 << 14;

    private const uint UnitsTag = (ObservationRaw.UnitsFieldNumber << 3) | (uint)WireFormat.WireType.LengthDelimited;

    private readonly int _rows;
    private readonly RowColumn[] _units;
    private readonly RowColumn[] _values;
    private readonly UnitShapes _shapes;
    private readonly UnitReader _reader;
    private UnitBytes[] _now;
    private UnitBytes[] _before;
    private int _countBefore;
    private long _firstBefore;

    /// <param name="rows">The rows of a frame.</param>
    /// <param name="columns">The columns by field number. 0 is 1 for each row with a unit. 61, 62 and 63 are x, y and z.</param>
    public UnitRows(int rows, RowColumn[] columns)
    {
        (_rows, _units, _now, _before) = (rows, columns, new UnitBytes[rows], new UnitBytes[rows]);
        _shapes = new UnitShapes(Math.Min(ShapesForRow * rows, MostShapes));
        _reader = new UnitReader(columns, _shapes);
        _values = [.. columns.Skip(1).Where(column => column.Size != 0)];
    }

    /// <summary>The number of units that were added.</summary>
    public int Count { get; private set; }

    /// <summary>Forgets the frame before.</summary>
    public void Forget()
    {
        _countBefore = 0;
        _shapes.Clear();
    }

    /// <inheritdoc/>
    public void Dispose() => _shapes.Dispose();

    /// <summary>Begins a frame.</summary>
    /// <param name="observation">The bytes with all units of the frame.</param>
    public void Begin(ReadOnlySpan<byte> observation)
    {
        var start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(observation));
        Begin(start, observation.Length);
        _reader.BeginObservation(start, observation.Length);
        Count = 0;
    }

    /// <summary>Adds the units of a serialized <c>ObservationRaw</c>. If there are more units than rows, the rest is only counted.</summary>
    /// <exception cref="Protocol.MalformedMessageException">The message is malformed.</exception>
    public void Add(ReadOnlySpan<byte> raw)
    {
        var at = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(raw));
        for (var end = at + raw.Length; at < end;)
        {
            // Almost all fields are units of 128 to 16,383 bytes: a tag of one byte, and a length of two.
            int length;
            if (end - at >= 3 && *at == UnitsTag && at[1] >= 0x80 && at[2] < 0x80)
            {
                length = (at[1] & 0x7F) | (at[2] << 7);
                at += 3;
                if (length > end - at)
                {
                    throw TooLong((ulong)length, at, end);
                }
            }
            else
            {
                at = ReadTag(at, end);
                if (Value != UnitsTag)
                {
                    at = Skip((uint)Value, at, end);
                    continue;
                }

                at = ReadLength(at, end);
                length = (int)Value;
            }

            if (Count < _rows)
            {
                _now[Count] = new UnitBytes(at, length);
            }

            Count++;
            at += length;
        }
    }

    /// <summary>Writes the added units. There must not be more than rows.</summary>
    /// <param name="first">The first row of the frame.</param>
    public void Write(long first)
    {
        var (shift, moves) = (0, 0);
        CopyRows(0, 0, first);
        for (var row = 0; row < Count; row++)
        {
            ref var unit = ref _now[row];
            if ((uint)(row + shift) < (uint)_countBefore && TryUpdate(ref unit, _before[row + shift], first + row))
            {
                continue;
            }

            var move = moves == MostMoves ? 0 : WasAt(row + shift + 1, unit) ? 1 : WasAt(row + shift - 1, unit) ? -1 : 0;
            if (move != 0)
            {
                (shift, moves) = (shift + move, moves + 1);
                CopyRows(row, shift, first);
                unit.Shape = _before[row + shift].Shape;
            }
            else
            {
                unit.Shape = _reader.Read(unit.Start, unit.Start + unit.Length, first + row);
            }
        }

        foreach (ref readonly var column in _values.AsSpan())
        {
            new Span<byte>(column.Data + ((first + Count) * column.Size), (_rows - Count) * column.Size).Clear();
        }

        if (_units[0].Size != 0)
        {
            var mask = new Span<byte>(_units[0].Data + first, _rows);
            mask[..Count].Fill(1);
            mask[Count..].Clear();
        }

        (_now, _before, _countBefore, _firstBefore) = (_before, _now, Count, first);
    }

    // The row has the values of the unit before. Returns false if more than floats and content that is not read has changed.
    private bool TryUpdate(ref UnitBytes unit, in UnitBytes before, long row)
    {
        var now = unit.Bytes;
        var old = before.Bytes;
        if (now.Length != old.Length)
        {
            return false;
        }

        unit.Shape = before.Shape;
        var same = now.CommonPrefixLength(old);
        if (same == now.Length || unit.Shape == UnitShapes.None)
        {
            return same == now.Length;
        }

        foreach (ref readonly var place in _shapes[unit.Shape])
        {
            if (same < place.Start)
            {
                return false;
            }

            if (same < place.End)
            {
                if (place.Field != 0)
                {
                    *((uint*)_units[place.Field].Data + row) = Unsafe.ReadUnaligned<uint>(unit.Start + place.Start);
                }

                same = place.End + now[place.End..].CommonPrefixLength(old[place.End..]);
                if (same == now.Length)
                {
                    return true;
                }
            }
        }

        return false;
    }

    private bool WasAt(int row, in UnitBytes unit) =>
        (uint)row < (uint)_countBefore && _before[row].Bytes.SequenceEqual(unit.Bytes);

    // Copies all rows from one row on from the observation before, whose rows were `shift` rows later.
    private void CopyRows(int row, int shift, long first)
    {
        var count = Math.Min(Count, _countBefore - shift) - row;
        if (count <= 0)
        {
            return;
        }

        var from = _firstBefore + row + shift;
        foreach (ref readonly var column in _values.AsSpan())
        {
            Buffer.MemoryCopy(
                column.Data + (from * column.Size), column.Data + ((first + row) * column.Size), (long)count * column.Size, (long)count * column.Size);
        }
    }

    private struct UnitBytes(byte* start, int length)
    {
        public readonly byte* Start = start;
        public readonly int Length = length;
        public int Shape = UnitShapes.None;

        public readonly ReadOnlySpan<byte> Bytes => new(Start, Length);
    }
}
