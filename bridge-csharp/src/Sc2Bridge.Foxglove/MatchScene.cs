using FoxgloveSchemas;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Foxglove;

/// <summary>Makes the messages for Foxglove: the terrain, and the messages derived from each observation. Thread-safe.</summary>
/// <param name="info">The map's data; null if unknown.</param>
/// <param name="data">The unit types; null if unknown.</param>
public sealed class MatchScene(ResponseGameInfo? info, ResponseData? data)
{
    private const ulong SecondNs = 1_000_000_000;

    private readonly MapGrids _grids = new(info);
    private readonly UnitScene _units = new(new UnitTypes(data));

    /// <summary>Makes the terrain at the match's start as a serialized <c>foxglove.Grid</c>; null if the map is unknown.</summary>
    /// <param name="timeNs">The message's time in nanoseconds.</param>
    public byte[]? MakeTerrain(ulong timeNs) => _grids.Terrain(Time(timeNs))?.ToByteArray();

    /// <summary>Parses an observation. Each of its messages is made later, when a subscriber needs the message.</summary>
    /// <param name="observation">A serialized <c>ResponseObservation</c>; used only during the call.</param>
    /// <param name="timeNs">The messages' time in nanoseconds.</param>
    /// <exception cref="InvalidProtocolBufferException">The bytes are not a <c>ResponseObservation</c>.</exception>
    public DerivedMessages Derive(ReadOnlySpan<byte> observation, ulong timeNs) =>
        new(_grids, _units, ResponseObservation.Parser.ParseFrom(observation), Time(timeNs), observation.Length);

    private static Timestamp Time(ulong timeNs) =>
        new() { Seconds = (long)(timeNs / SecondNs), Nanos = (int)(timeNs % SecondNs) };
}

/// <summary>
/// The serialized messages of one observation. Each message is made on first use, and all subscribers share it.
/// </summary>
/// <remarks>The garbage collector frees the memory, so this class needs no reference count.</remarks>
public sealed class DerivedMessages : ILeased
{
    // A parsed observation takes about this many times its serialized size.
    private const int ParsedBytesPerByte = 4;

    private readonly ImageData? _creepImage;
    private readonly ImageData? _visibilityImage;
    private readonly Lazy<byte[]> _units;
    private readonly Lazy<byte[]?> _creep;
    private readonly Lazy<byte[]?> _visibility;

    internal DerivedMessages(
        MapGrids grids, UnitScene units, ResponseObservation observation, Timestamp time, int length)
    {
        var map = observation.Observation?.RawData?.MapState;
        (_creepImage, _visibilityImage, Capacity) = (map?.Creep, map?.Visibility, ParsedBytesPerByte * length);
        _units = new(() => units.Make(observation, time).ToByteArray());
        _creep = new(() => grids.Creep(_creepImage, time)?.ToByteArray());
        _visibility = new(() => grids.Visibility(_visibilityImage, time)?.ToByteArray());
    }

    /// <summary>The units as a <c>foxglove.SceneUpdate</c>.</summary>
    public byte[] Units => _units.Value;

    /// <inheritdoc/>
    public int Capacity { get; }

    /// <summary>The creep as a <c>foxglove.Grid</c>; null if the image is missing, malformed or the same as the last image.</summary>
    /// <param name="lastImage">The image of the previous call; null in the first call. This call replaces it by the current image.</param>
    public byte[]? CreepIfChanged(ref ImageData? lastImage) => ReplaceAndCheckSame(_creepImage, ref lastImage) ? null : _creep.Value;

    /// <summary>The visibility as a <c>foxglove.Grid</c>; null in the same cases as <see cref="CreepIfChanged"/>.</summary>
    /// <param name="lastImage">See <see cref="CreepIfChanged"/>.</param>
    public byte[]? VisibilityIfChanged(ref ImageData? lastImage) => ReplaceAndCheckSame(_visibilityImage, ref lastImage) ? null : _visibility.Value;

    /// <inheritdoc/>
    public void Retain()
    {
    }

    /// <inheritdoc/>
    public void Release()
    {
    }

    private static bool ReplaceAndCheckSame(ImageData? image, ref ImageData? lastImage)
    {
        var isSame = image is not null && image.Equals(lastImage);
        lastImage = image;
        return isSame;
    }
}
