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
    private const int UnitTag = (ObservationRaw.UnitsFieldNumber << 3) | (int)WireFormat.WireType.LengthDelimited;

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
        RestLength = Walk(observation, 0, observation.Length, ResponseObservation.ObservationFieldNumber);
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

    // Walks into one field of a message; gives the bytes that are left of the message.
    private int Walk(ReadOnlySpan<byte> bytes, int start, int length, int into)
    {
        var left = 0;
        var kept = start;
        var reader = new WireReader(bytes, start, length);
        while (reader.Next())
        {
            if (reader.Field != into || reader.Type != WireFormat.WireType.LengthDelimited)
            {
                continue;
            }

            left += Keep(kept, reader.Start);
            var head = _rest.Count;
            _rest.Add(default);
            var (inner, innerLength) = (reader.ContentStart, reader.Content.Length);
            var innerLeft = into == Observation.RawDataFieldNumber
                ? WalkRaw(bytes, inner, innerLength)
                : Walk(bytes, inner, innerLength, Observation.RawDataFieldNumber);
            _rest[head] = new Piece(into, 0, innerLeft);
            left += WireWriter.BytesSize(into, innerLeft);
            kept = reader.End;
        }

        return left + Keep(kept, start + length);
    }

    private int WalkRaw(ReadOnlySpan<byte> bytes, int start, int length)
    {
        var left = 0;
        var (kept, end) = (start, start + length);
        for (var at = start; at < end;)
        {
            var run = at;
            at = PassUnits(bytes, at, end);
            if (at > run)
            {
                _units.Add(new Range(run, at));
                left += Keep(kept, run);
                kept = at;
            }

            var reader = new WireReader(bytes, at, end - at);
            if (reader.Next())
            {
                // A unit whose tag or length is written longer than need be goes the slow way.
                if (reader.Field == ObservationRaw.UnitsFieldNumber
                    && reader.Type == WireFormat.WireType.LengthDelimited)
                {
                    _units.Add(new Range(at, reader.End));
                    UnitCount++;
                    left += Keep(kept, at);
                    kept = reader.End;
                }

                at = reader.End;
            }
        }

        return left + Keep(kept, end);
    }

    // Passes over units as they are normally written, with a length of one or two bytes.
    private int PassUnits(ReadOnlySpan<byte> bytes, int at, int end)
    {
        while (end - at >= 3 && bytes[at] == UnitTag)
        {
            int length = bytes[at + 1];
            var content = at + 2;
            if (length >= 0x80)
            {
                int more = bytes[at + 2];
                length = (length & 0x7F) | (more << 7);
                content++;
                if (more >= 0x80)
                {
                    break;
                }
            }

            if (length > end - content)
            {
                break;
            }

            at = content + length;
            UnitCount++;
        }

        return at;
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
