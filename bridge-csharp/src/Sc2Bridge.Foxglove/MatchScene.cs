using FoxgloveSchemas;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Foxglove;

/// <summary>Makes what is shown of a match: its ground, and the derived messages of each observation. Thread-safe.</summary>
/// <param name="info">The map's; null where it is not known.</param>
/// <param name="data">The types of units; null where they are not known.</param>
public sealed class MatchScene(ResponseGameInfo? info, ResponseData? data)
{
    private const ulong SecondNs = 1_000_000_000;

    private readonly MapGrids _grids = new(info);
    private readonly UnitScene _units = new(new UnitTypes(data));

    /// <summary>The ground at the match's start, a serialized <c>foxglove.Grid</c>; null where it is not known.</summary>
    /// <param name="timeNs">Its time in nanoseconds.</param>
    public byte[]? Terrain(ulong timeNs) => _grids.Terrain(Time(timeNs))?.ToByteArray();

    /// <summary>Parses an observation, to be shown.</summary>
    /// <param name="observation">A serialized <c>ResponseObservation</c>; used during the call only.</param>
    /// <param name="timeNs">Its time in nanoseconds.</param>
    /// <exception cref="InvalidProtocolBufferException">It is none.</exception>
    public DerivedMessages Derive(ReadOnlySpan<byte> observation, ulong timeNs) =>
        new(_grids, _units, ResponseObservation.Parser.ParseFrom(observation), Time(timeNs), observation.Length);

    private static Timestamp Time(ulong timeNs) =>
        new() { Seconds = (long)(timeNs / SecondNs), Nanos = (int)(timeNs % SecondNs) };
}

/// <summary>
/// What is shown of one observation, serialized; each made when it is first asked for, and once for all who ask.
/// </summary>
/// <remarks>Its memory is the garbage collector's: holding it does nothing.</remarks>
public sealed class DerivedMessages : ILeased
{
    // About what an observation takes once it is parsed.
    private const int ParsedBytes = 4;

    private readonly ImageData? _creepImage;
    private readonly ImageData? _visibilityImage;
    private readonly Lazy<byte[]> _units;
    private readonly Lazy<byte[]?> _creep;
    private readonly Lazy<byte[]?> _visibility;

    internal DerivedMessages(
        MapGrids grids, UnitScene units, ResponseObservation observation, Timestamp time, int length)
    {
        var map = observation.Observation?.RawData?.MapState;
        (_creepImage, _visibilityImage, Capacity) = (map?.Creep, map?.Visibility, ParsedBytes * length);
        _units = new(() => units.Make(observation, time).ToByteArray());
        _creep = new(() => grids.Creep(_creepImage, time)?.ToByteArray());
        _visibility = new(() => grids.Visibility(_visibilityImage, time)?.ToByteArray());
    }

    /// <summary>A <c>foxglove.SceneUpdate</c>.</summary>
    public byte[] Units => _units.Value;

    /// <inheritdoc/>
    public int Capacity { get; }

    /// <summary>A <c>foxglove.Grid</c>; null where there is none, or the same as before.</summary>
    /// <param name="shown">The image that was shown last, null before the first; becomes this one.</param>
    public byte[]? CreepAfter(ref ImageData? shown) => IsSame(_creepImage, ref shown) ? null : _creep.Value;

    /// <summary>The same of what is seen.</summary>
    /// <param name="shown">As of creep.</param>
    public byte[]? VisibilityAfter(ref ImageData? shown) => IsSame(_visibilityImage, ref shown) ? null : _visibility.Value;

    /// <inheritdoc/>
    public void Retain()
    {
    }

    /// <inheritdoc/>
    public void Release()
    {
    }

    private static bool IsSame(ImageData? image, ref ImageData? shown)
    {
        var isSame = image is not null && image.Equals(shown);
        shown = image;
        return isSame;
    }
}
