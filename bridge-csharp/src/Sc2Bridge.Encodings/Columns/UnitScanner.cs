using System.Runtime.CompilerServices;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Where the units stand in a serialized observation, and what of it is none: found in one walk over three levels, with
/// fields in any order and more than once, as protobuf allows.
/// </summary>
internal sealed class UnitScanner
{
    // From the whole down to the units.
    private static readonly int[] _path =
        [ResponseObservation.ObservationFieldNumber, Observation.RawDataFieldNumber, ObservationRaw.UnitsFieldNumber];

    private readonly List<Range> _units = [];
    private readonly List<Piece> _rest = [];

    /// <summary>How many units there are.</summary>
    public int UnitCount { get; private set; }

    /// <summary>Bytes of the observation without its units.</summary>
    public int RestLength { get; private set; }

    /// <summary>Bytes that it holds on to.</summary>
    public long HeldBytes =>
        ((long)_units.Capacity * Unsafe.SizeOf<Range>()) + ((long)_rest.Capacity * Unsafe.SizeOf<Piece>());

    /// <summary>Runs of units: each is a list of whole fields, as they stand in <c>raw_data</c>.</summary>
    public IReadOnlyList<Range> Units => _units;

    /// <summary>Walks over an observation.</summary>
    /// <exception cref="MalformedMessageException">One of the three levels is no message.</exception>
    public void Find(ReadOnlySpan<byte> observation)
    {
        _units.Clear();
        _rest.Clear();
        UnitCount = 0;
        RestLength = Walk(observation, 0, observation.Length, _path);
    }

    /// <summary>Writes the observation without its units: <see cref="RestLength"/> bytes.</summary>
    /// <param name="observation">The same as was walked over.</param>
    /// <param name="writer">Where to.</param>
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

    // Walks into one field of each level; gives the bytes that are left of the message.
    private int Walk(ReadOnlySpan<byte> bytes, int start, int length, ReadOnlySpan<int> fields)
    {
        var left = 0;
        var kept = start;
        var reader = new WireReader(bytes, start, length);
        while (reader.Next())
        {
            if (reader.Field != fields[0] || reader.Type != WireFormat.WireType.LengthDelimited)
            {
                continue;
            }

            left += Keep(kept, reader.Start);
            kept = reader.End;
            if (fields.Length == 1)
            {
                AddUnit(reader.Start, reader.End);
                continue;
            }

            var head = _rest.Count;
            _rest.Add(default);
            var innerLeft = Walk(bytes, reader.ContentStart, reader.Content.Length, fields[1..]);
            _rest[head] = new Piece(fields[0], 0, innerLeft);
            left += WireWriter.BytesSize(fields[0], innerLeft);
        }

        return left + Keep(kept, start + length);
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

    private int Keep(int start, int end)
    {
        if (end > start)
        {
            _rest.Add(new Piece(0, start, end - start));
        }

        return end - start;
    }

    /// <summary>Bytes to copy; or the head of a field, by its number, whose content follows.</summary>
    private readonly record struct Piece(int HeadOf, int Start, int Length);
}
