using System.Runtime.InteropServices;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Writes an observation as a serialized <c>Columns</c> (bridge.proto says what that is) straight from its bytes: no
/// message is parsed, and nothing allocated once the tables have grown to the match's size.
/// </summary>
public sealed class ColumnsWriter
{
    // A match's thousand units take some 300 KiB; tables that an absurd message has made huge are let go.
    private const int MostHeldBytes = 4 << 20;

    // Several perspectives, and the step log, write at the same time.
    private const int MostIdle = 8;

    private static readonly RowLayout UnitLayout = RowLayout.Of(Unit.Descriptor, sizeof(ulong));
    private static readonly Lock IdleLock = new();
    private static readonly Stack<ColumnsWriter> Idle = new(MostIdle);

    private readonly UnitScanner _pieces = new();
    private readonly RowTable _units = new(UnitLayout);
    private readonly ListTable[] _lists = [.. UnitLayout.Lists.Select(TableOf)];
    private readonly RowReader _reader;

    private ColumnsWriter()
    {
        _reader = new RowReader(_units, _lists);
    }

    /// <summary>Writes an observation as columns.</summary>
    /// <param name="observation">A serialized <c>ResponseObservation</c>.</param>
    /// <returns>A serialized <c>Columns</c>, held once by the caller.</returns>
    /// <exception cref="EncodingException">
    /// The observation, its raw data or a unit is no message; it says at which byte. What lies deeper in the rest is
    /// not looked at. Or it has more units, or items of one of their lists, than 262,144.
    /// </exception>
    public static MessageBuffer Write(ReadOnlySpan<byte> observation)
    {
        var writer = Take() ?? new ColumnsWriter();
        try
        {
            var columns = writer.WriteOne(observation);

            // Not where it failed: rows may then hold what no bit tells of.
            Return(writer);
            return columns;
        }
        catch (MalformedMessageException malformed)
        {
            throw new EncodingException(
                $"The observation cannot be written as columns: {malformed.What}", malformed.Offset);
        }
    }

    private long HeldBytes
    {
        get
        {
            long bytes = _pieces.HeldBytes + _units.HeldBytes;
            foreach (var list in _lists)
            {
                bytes += list.HeldBytes;
            }

            return bytes;
        }
    }

    private static ColumnsWriter? Take()
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
            if (Idle.Count < MostIdle && writer.HeldBytes <= MostHeldBytes)
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
        _pieces.Find(observation);
        _units.Begin(_pieces.UnitCount);
        foreach (var list in _lists)
        {
            list.Begin();
        }

        _reader.ReadUnits(observation, _pieces.Units);

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

        writer.Head(V1.Columns.RestFieldNumber, _pieces.RestLength);
        _pieces.WriteRest(observation, writer);
    }

    private void WriteList(WireWriter writer, ListTable list)
    {
        var items = list.Items;
        if (items.Count == 0)
        {
            return;
        }

        // The messages of lists have the same numbers for offsets and for what is present.
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
            if ((table.Any >> number & 1) != 0)
            {
                writer.Bytes(number, table.Vector(number));
            }
        }
    }
}
