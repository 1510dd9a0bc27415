using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Reads observations into columns with a fixed number of rows for the units of a frame, by protobuf's rules. Rows without a unit, and values
/// that are missing, are 0. Not thread-safe.
/// </summary>
public sealed unsafe class ObservationRows : IDisposable
{
    /// <summary>The largest number of rows.</summary>
    public const int MostRows = 1 << 18;

    private const int ScoreField = 62;
    private const int FrameFields = 3;

    private static readonly bool[] IsOfPlayer =
        [.. Enumerable.Range(0, RowLayout.FieldLimit).Select(field => PlayerCommon.Descriptor.FindFieldByNumber(field) is not null)];

    private readonly int _rows;
    private readonly UnitRows _units;
    private readonly RowColumn[] _players = new RowColumn[RowLayout.FieldLimit];
    private readonly RowColumn[] _frames = new RowColumn[FrameFields];
    private readonly ulong[] _player = new ulong[RowLayout.FieldLimit];
    private uint _loop;

    /// <summary>Checks the columns.</summary>
    /// <param name="rows">The number of rows for the units of a frame.</param>
    /// <param name="frames">The number of frames for which each column has memory.</param>
    /// <param name="columns">The columns. Their memory must exist as long as this object is used.</param>
    /// <exception cref="ArgumentException">A number is too small or too large, or a column does not exist or has the wrong memory.</exception>
    public ObservationRows(int rows, long frames, ReadOnlySpan<ColumnTarget> columns)
    {
        Check(rows is > 0 and <= MostRows, $"{rows} rows: give 1 to {MostRows}");
        Check(frames is > 0 and <= int.MaxValue, $"{frames} frames: give 1 to {int.MaxValue}");
        var units = new RowColumn[RowLayout.FieldLimit];
        foreach (var each in columns)
        {
            var what = $"column {each.Field} of table {(int)each.Table}";
            var (own, canBeWide) = SizeOf(each.Table, each.Field);
            Check(own != 0 && each.Reserved == 0, $"{what}: there is no such column");
            Check(each.Size == own || (canBeWide && each.Size == sizeof(ulong)), $"{what}: give values of {own} bytes, not {each.Size}");
            var needed = frames * each.Size * (each.Table == ColumnTable.Units ? rows : 1);
            Check(each.Bytes == needed, $"{what}: give {needed} bytes, not {each.Bytes}");
            Check(each.Data != 0 && each.Data % each.Size == 0, $"{what}: give an address that is a multiple of {each.Size}, not {each.Data}");
            var table = each.Table == ColumnTable.Units ? units : each.Table == ColumnTable.Players ? _players : _frames;
            table[each.Field] = new RowColumn((byte*)each.Data, each.Size);
        }

        (_rows, _units) = (rows, new UnitRows(rows, units));
    }

    /// <summary>Forgets the last observation. Call this before the memory of that observation changes.</summary>
    public void Forget() => _units.Forget();

    /// <summary>Reads an observation into the columns.</summary>
    /// <param name="observation">
    /// A serialized <c>ResponseObservation</c>. Its memory must be pinned, and must not change until <see cref="Forget"/>.
    /// </param>
    /// <param name="step">The observation's step.</param>
    /// <param name="frame">The index of the frame in the columns. It is not checked.</param>
    /// <returns>The number of units. If it is more than the rows, nothing was written.</returns>
    /// <exception cref="MalformedMessageException">
    /// The observation is malformed. Nested messages that no column needs are not checked.
    /// </exception>
    public int Read(ReadOnlySpan<byte> observation, ulong step, int frame)
    {
        _units.Begin(observation);
        _loop = 0;
        Array.Clear(_player);
        var reader = new WireReader(observation);
        while (reader.Next())
        {
            if (reader is { Field: ResponseObservation.ObservationFieldNumber, Type: WireFormat.WireType.LengthDelimited })
            {
                ReadObservation(reader.Content);
            }
        }

        if (_units.Count <= _rows)
        {
            _units.Write((long)frame * _rows);
            for (var field = 0; field < _players.Length; field++)
            {
                Write(_players[field], frame, _player[field]);
            }

            Write(_frames[0], frame, (ulong)_units.Count);
            Write(_frames[1], frame, step);
            Write(_frames[2], frame, _loop);
        }

        return _units.Count;
    }

    /// <summary>Frees the memory for the last observation.</summary>
    public void Dispose() => _units.Dispose();

    private static void Check(bool isRight, string message)
    {
        if (!isRight)
        {
            throw new ArgumentException(message);
        }
    }

    private static (int Own, bool CanBeWide) SizeOf(ColumnTable table, int field) => (table, field) switch
    {
        (ColumnTable.Frames, >= 0 and < FrameFields) => (sizeof(ulong), false),
        (ColumnTable.Players, 0) => (sizeof(ulong), false),
        (ColumnTable.Players, > 0 and < RowLayout.FieldLimit) when field == ScoreField || IsOfPlayer[field] => (sizeof(uint), true),
        (ColumnTable.Units, >= 0 and < RowLayout.FieldLimit) => UnitReader.SizeOf(field),
        _ => default,
    };

    private static void Write(in RowColumn column, int frame, ulong value)
    {
        if (column.Size == sizeof(ulong))
        {
            ((ulong*)column.Data)[frame] = value;
        }
        else if (column.Size == sizeof(uint))
        {
            ((uint*)column.Data)[frame] = (uint)value;
        }
    }

    private void ReadObservation(ReadOnlySpan<byte> observation)
    {
        var reader = new WireReader(observation);
        while (reader.Next())
        {
            switch (reader.Field, reader.Type)
            {
                case (Observation.GameLoopFieldNumber, WireFormat.WireType.Varint):
                    _loop = (uint)reader.VarintValue;
                    break;
                case (Observation.PlayerCommonFieldNumber, WireFormat.WireType.LengthDelimited):
                    ReadPlayer(reader.Content);
                    break;
                case (Observation.ScoreFieldNumber, WireFormat.WireType.LengthDelimited):
                    ReadScore(reader.Content);
                    break;
                case (Observation.RawDataFieldNumber, WireFormat.WireType.LengthDelimited):
                    _units.Add(reader.Content);
                    break;
            }
        }
    }

    private void ReadPlayer(ReadOnlySpan<byte> common)
    {
        var reader = new WireReader(common);
        while (reader.Next())
        {
            if (reader.Type == WireFormat.WireType.Varint && reader.Field < RowLayout.FieldLimit && IsOfPlayer[reader.Field])
            {
                _player[reader.Field] = (uint)reader.VarintValue;
                _player[0] |= 1UL << reader.Field;
            }
        }
    }

    private void ReadScore(ReadOnlySpan<byte> score)
    {
        _player[0] |= 1UL << ScoreField;
        var reader = new WireReader(score);
        while (reader.Next())
        {
            if (reader is { Field: Score.Score_FieldNumber, Type: WireFormat.WireType.Varint })
            {
                _player[ScoreField] = (ulong)(int)reader.VarintValue;
            }
        }
    }
}
