using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>What the game puts into its observations (InterfaceOptions of sc2api.proto).</summary>
public sealed record InterfaceSettings
{
    /// <summary>Units and map state.</summary>
    public bool Raw { get; init; } = true;

    /// <summary>The score.</summary>
    public bool Score { get; init; } = true;

    /// <summary>Feature layers, or null for none.</summary>
    public SpatialSettings? FeatureLayers { get; init; }

    /// <summary>
    /// The rendered picture, or null for none; the game must have been built and started with rendering.
    /// </summary>
    public SpatialSettings? Render { get; init; }

    /// <summary>Raw positions and images count from the playable area's corner instead of the map's.</summary>
    public bool RawCropToPlayableArea { get; init; }

    /// <summary>Shows some details of cloaked units that are not detected.</summary>
    public bool ShowCloaked { get; init; }

    /// <summary>Shows some details of burrowed units whose shadow can be seen.</summary>
    public bool ShowBurrowedShadows { get; init; }

    /// <summary>Shows structures that are queued to be placed.</summary>
    public bool ShowPlaceholders { get; init; }

    /// <summary>Raw actions select their units, as a person's would.</summary>
    public bool RawAffectsSelection { get; init; }

    /// <summary>The message for the game.</summary>
    public InterfaceOptions ToOptions() => new()
    {
        Raw = Raw,
        Score = Score,
        FeatureLayer = FeatureLayers?.ToSetup(),
        Render = Render?.ToSetup(),
        RawCropToPlayableArea = RawCropToPlayableArea,
        ShowCloaked = ShowCloaked,
        ShowBurrowedShadows = ShowBurrowedShadows,
        ShowPlaceholders = ShowPlaceholders,
        RawAffectsSelection = RawAffectsSelection,
    };
}

/// <summary>The size of feature layers or of the rendered picture.</summary>
/// <param name="Screen">The camera's view, in pixels (x, y).</param>
/// <param name="Minimap">The whole map, in pixels (x, y).</param>
public sealed record SpatialSettings((int X, int Y) Screen, (int X, int Y) Minimap)
{
    /// <summary>The camera's width in world units; the game's own is 24.</summary>
    public float? CameraWidth { get; init; }

    /// <summary>The minimap shows the playable area only.</summary>
    public bool CropToPlayableArea { get; init; }

    /// <summary>Layers that show what a player cannot see.</summary>
    public bool AllowCheatingLayers { get; init; }

    /// <summary>
    /// Reads <c>SCREEN</c> or <c>SCREEN,MINIMAP</c>, each <c>WIDTHxHEIGHT</c> or one number for both, in pixels.
    /// </summary>
    /// <exception cref="GameException">It is no such size.</exception>
    public static SpatialSettings Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var sizes = text.Split(',');
        if (sizes.Length <= 2 && Size(sizes[0]) is { } screen && Size(sizes[^1]) is { } minimap)
        {
            return new SpatialSettings(screen, minimap);
        }

        throw new GameException(
            $"Size '{text}' is not understood: give SCREEN or SCREEN,MINIMAP in pixels (1 to 1024), such as " +
            "84x84,64x64.");
    }

    internal SpatialCameraSetup ToSetup()
    {
        var setup = new SpatialCameraSetup
        {
            Resolution = new Size2DI { X = Screen.X, Y = Screen.Y },
            MinimapResolution = new Size2DI { X = Minimap.X, Y = Minimap.Y },
            CropToPlayableArea = CropToPlayableArea,
            AllowCheatingLayers = AllowCheatingLayers,
        };
        if (CameraWidth is { } width)
        {
            setup.Width = width;
        }

        return setup;
    }

    private static (int X, int Y)? Size(string text)
    {
        var parts = text.Trim().Split('x', 'X');
        return parts.Length <= 2 && Pixels(parts[0]) is { } x && Pixels(parts[^1]) is { } y ? (x, y) : null;
    }

    private static int? Pixels(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var pixels) && pixels is > 0 and <= 1024
            ? pixels
            : null;
}
