using System.Buffers;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Where serialized units have bytes that can change without a change of the fields around them: floats, and content that is not read. If only
/// such bytes of a unit have changed, its floats can be read without its other fields. Not thread-safe. Dispose returns the memory.
/// </summary>
/// <param name="most">The largest number of shapes.</param>
internal sealed class UnitShapes(int most) : IDisposable
{
    /// <summary>No shape.</summary>
    public const int None = -1;

    private const int MostPlaces = 31;

    private readonly Place[] _places = ArrayPool<Place>.Shared.Rent(most * (MostPlaces + 1));
    private int _count;
    private int _added;

    /// <summary>Removes all shapes.</summary>
    public void Clear() => _count = 0;

    /// <summary>Begins a shape.</summary>
    public void Begin() => _added = _count < most ? 0 : MostPlaces + 1;

    /// <summary>Adds the next place to the shape.</summary>
    /// <param name="start">The offset of its first byte in the unit.</param>
    /// <param name="length">Its size in bytes.</param>
    /// <param name="field">The column of the float; 0 for content that is not read.</param>
    public void Add(long start, ulong length, int field)
    {
        if (_added < MostPlaces && (ulong)start + length <= ushort.MaxValue)
        {
            _places[(_count * (MostPlaces + 1)) + _added++] = new Place((ushort)start, (ushort)((ulong)start + length), (ushort)field);
        }
        else
        {
            Abandon();
        }
    }

    /// <summary>Gives up the shape.</summary>
    public void Abandon() => _added = MostPlaces + 1;

    /// <summary>Ends a shape.</summary>
    /// <returns>The number of the shape; <see cref="None"/> if it has too many places, or if there are too many shapes.</returns>
    public int End()
    {
        if (_added > MostPlaces)
        {
            return None;
        }

        _places[(_count * (MostPlaces + 1)) + _added] = new Place(ushort.MaxValue, ushort.MaxValue, 0);
        return _count++;
    }

    /// <summary>The places of a shape, in order. The last one is after the end of the unit.</summary>
    public ReadOnlySpan<Place> this[int shape] => _places.AsSpan(shape * (MostPlaces + 1), MostPlaces + 1);

    /// <inheritdoc/>
    public void Dispose() => ArrayPool<Place>.Shared.Return(_places);

    /// <summary>A place in a unit's bytes.</summary>
    internal readonly record struct Place(ushort Start, ushort End, ushort Field);
}
