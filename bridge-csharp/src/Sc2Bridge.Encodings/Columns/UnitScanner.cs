using System.Runtime.CompilerServices;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Finds the units in a serialized observation, and the bytes that are not units. It walks once over three levels of messages. Fields
/// may come in any order and more than once, as protobuf allows.
/// </summary>
internal sealed class UnitScanner
{
    // The field numbers from the observation down to the units.
    private static readonly int[] _path =
        [ResponseObservation.ObservationFieldNumber, Observation.RawDataFieldNumber, ObservationRaw.UnitsFieldNumber];

    private readonly List<Range> _units = [];
    private readonly List<Piece> _rest = [];

    /// <summary>The number of units.</summary>
    public int UnitCount { get; private set; }

    /// <summary>The size of the observation without its units, in bytes.</summary>
    public int RestLength { get; private set; }

    /// <summary>The memory that the scanner keeps.</summary>
    public long HeldBytes =>
        ((long)_units.Capacity * Unsafe.SizeOf<Range>()) + ((long)_rest.Capacity * Unsafe.SizeOf<Piece>());

    /// <summary>The byte ranges of adjacent units. Each range contains complete <c>units</c> fields of <c>raw_data</c>.</summary>
    public IReadOnlyList<Range> Units => _units;

    /// <summary>Scans an observation.</summary>
    /// <exception cref="MalformedMessageException">One of the three levels is malformed.</exception>
    public void Scan(ReadOnlySpan<byte> observation)
    {
        _units.Clear();
        _rest.Clear();
        UnitCount = 0;
        RestLength = Walk(observation, 0, observation.Length, _path);
    }

    /// <summary>Writes the observation without its units: <see cref="RestLength"/> bytes.</summary>
    /// <param name="observation">The observation that was scanned.</param>
    /// <param name="writer">The output.</param>
    public void WriteRest(ReadOnlySpan<byte> observation, WireWriter writer)
    {
        foreach (var piece in _rest)
        {
            if (piece.HeadOf != 0)
            {
                writer.Head(piece.HeadOf, piece.Length);
            }
            else
            {
                writer.Raw(observation.Slice(piece.Start, piece.Length));
            }
        }
    }

    // Walks through a message. The first element of `fields` is the field to enter. Returns the size of the message without the units.
    private int Walk(ReadOnlySpan<byte> bytes, int start, int length, ReadOnlySpan<int> fields)
    {
        var restLength = 0;
        var restStart = start;
        var reader = new WireReader(bytes, start, length);
        while (reader.Next())
        {
            if (reader.Field != fields[0] || reader.Type != WireFormat.WireType.LengthDelimited)
            {
                continue;
            }

            restLength += AddRest(restStart, reader.Start);
            restStart = reader.End;
            if (fields.Length == 1)
            {
                AddUnit(reader.Start, reader.End);
                continue;
            }

            var head = _rest.Count;
            _rest.Add(default);
            var innerRestLength = Walk(bytes, reader.ContentStart, reader.Content.Length, fields[1..]);
            _rest[head] = new Piece(fields[0], 0, innerRestLength);
            restLength += WireWriter.BytesSize(fields[0], innerRestLength);
        }

        return restLength + AddRest(restStart, start + length);
    }

    private void AddUnit(int start, int end)
    {
        UnitCount++;
        if (_units.Count > 0 && _units[^1].End.Value == start)
        {
            start = _units[^1].Start.Value;
            _units.RemoveAt(_units.Count - 1);
        }

        _units.Add(new Range(start, end));
    }

    private int AddRest(int start, int end)
    {
        if (end > start)
        {
            _rest.Add(new Piece(0, start, end - start));
        }

        return end - start;
    }

    /// <summary>Bytes to copy. If <c>HeadOf</c> is a field number, only the tag and the length of this field are written.</summary>
    private readonly record struct Piece(int HeadOf, int Start, int Length);
}
