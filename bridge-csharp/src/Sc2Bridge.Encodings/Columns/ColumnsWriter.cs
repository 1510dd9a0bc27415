using System.Runtime.InteropServices;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Converts a serialized observation to a serialized <c>Columns</c> (see bridge.proto) without intermediate objects. The writer allocates
/// nothing after the tables have grown to the size of the match.
/// </summary>
public sealed class ColumnsWriter
{
    // A writer takes about 300 KiB for a match with a thousand units. A writer above this limit, after a huge message, is not reused.
    private const int MostHeldBytes = 4 << 20;

    // Several writers are needed, because several perspectives and the step log write at the same time.
    private const int MostIdleWriters = 8;

    private static readonly RowLayout UnitLayout = RowLayout.Of(Unit.Descriptor, sizeof(ulong));
    private static readonly Lock IdleLock = new();
    private static readonly Stack<ColumnsWriter> Idle = new(MostIdleWriters);

    private readonly UnitScanner _scanner = new();
    private readonly RowTable _units = new(UnitLayout);
    private readonly ListTable[] _lists = [.. UnitLayout.Lists.Select(TableOf)];
    private readonly RowReader _reader;

    private ColumnsWriter()
    {
        _reader = new RowReader(_units, _lists);
    }

    /// <summary>Writes an observation as columns.</summary>
    /// <param name="observation">A serialized <c>ResponseObservation</c>.</param>
    /// <returns>A serialized <c>Columns</c>; the caller owns the reference.</returns>
    /// <exception cref="EncodingException">
    /// The observation, its raw data or a unit is malformed; the error names the byte. Nested fields outside of the units are not checked.
    /// The exception is also thrown for more than 262,144 units, or for more than 262,144 items in one of the units' lists.
    /// </exception>
    public static MessageBuffer Write(ReadOnlySpan<byte> observation)
    {
        var writer = Rent() ?? new ColumnsWriter();
        try
        {
            var columns = writer.WriteOne(observation);

            // A writer that failed is not reused: its rows may contain values that no bit of `PresentFields` marks for clearing.
            Return(writer);
            return columns;
        }
        catch (MalformedMessageException malformed)
        {
            throw new EncodingException(
                $"The observation cannot be written as columns: {malformed.Problem}", malformed.Offset);
        }
    }

    private long HeldBytes
    {
        get
        {
            long bytes = _scanner.HeldBytes + _units.HeldBytes;
            foreach (var list in _lists)
            {
                bytes += list.HeldBytes;
            }

            return bytes;
        }
    }

    private static ColumnsWriter? Rent()
    {
        lock (IdleLock)
        {
            return Idle.TryPop(out var writer) ? writer : null;
        }
    }

    private static void Return(ColumnsWriter writer)
    {
        lock (IdleLock)
        {
            if (Idle.Count < MostIdleWriters && writer.HeldBytes <= MostHeldBytes)
            {
                Idle.Push(writer);
            }
        }
    }

    private static ListTable TableOf(FieldDescriptor list) => new(
        list.FieldNumber,
        list.FieldType == FieldType.Message
            ? RowLayout.Of(list.MessageType, sizeof(ushort))
            : RowLayout.OfNumbers(V1.BuffColumns.BuffIdFieldNumber));

    private MessageBuffer WriteOne(ReadOnlySpan<byte> observation)
    {
        _scanner.Scan(observation);
        _units.Reset(_scanner.UnitCount);
        foreach (var list in _lists)
        {
            list.Reset();
        }

        _reader.ReadUnits(observation, _scanner.Units);

        var buffer = MessageBuffer.Rent(observation.Length);
        WriteColumns(new WireWriter(buffer), observation);
        return buffer;
    }

    private void WriteColumns(WireWriter writer, ReadOnlySpan<byte> observation)
    {
        if (_units.Count > 0)
        {
            writer.Number(V1.Columns.CountFieldNumber, (uint)_units.Count);
            writer.Bytes(V1.Columns.PresentFieldNumber, _units.Vector(0));
            WriteVectors(writer, _units);
            foreach (var list in _lists)
            {
                WriteList(writer, list);
            }
        }

        writer.Head(V1.Columns.RestFieldNumber, _scanner.RestLength);
        _scanner.WriteRest(observation, writer);
    }

    private void WriteList(WireWriter writer, ListTable list)
    {
        var items = list.Items;
        if (items.Count == 0)
        {
            return;
        }

        // All list messages have the same field numbers for `offsets` and `present`.
        var start = writer.Begin(list.Number);
        WriteVectors(writer, items);
        writer.Bytes(V1.OrderColumns.OffsetsFieldNumber, MemoryMarshal.AsBytes(list.Offsets(_units.Count)));
        if (items.Layout.PresentSize != 0)
        {
            writer.Bytes(V1.OrderColumns.PresentFieldNumber, items.Vector(0));
        }

        writer.End(start);
    }

    private static void WriteVectors(WireWriter writer, RowTable table)
    {
        foreach (var number in table.Layout.Numbers)
        {
            if ((table.PresentFields >> number & 1) != 0)
            {
                writer.Bytes(number, table.Vector(number));
            }
        }
    }
}
