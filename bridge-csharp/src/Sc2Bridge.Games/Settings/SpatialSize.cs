using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>The size of feature layers or of the rendered picture, as users write it.</summary>
public static class SpatialSize
{
    /// <summary>
    /// Reads <c>SCREEN</c> or <c>SCREEN,MINIMAP</c>, each <c>WIDTHxHEIGHT</c> or a single number for width and height, in pixels.
    /// </summary>
    /// <exception cref="GameException">The text is not a valid size.</exception>
    public static SpatialCameraSetup Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var sizes = text.Split(',');
        return sizes.Length <= 2 && ParseSize(sizes[0]) is { } screen && ParseSize(sizes[^1]) is { } minimap
            ? new SpatialCameraSetup
            {
                Resolution = screen,
                MinimapResolution = minimap,
                CropToPlayableArea = false,
                AllowCheatingLayers = false,
            }
            : throw new GameException(
                $"Size '{text}' is not valid: give SCREEN or SCREEN,MINIMAP in pixels (1 to 1024), such as " +
                "84x84,64x64.");
    }

    private static Size2DI? ParseSize(string text)
    {
        var parts = text.Trim().Split('x', 'X');
        return parts.Length <= 2 && ParsePixels(parts[0]) is { } x && ParsePixels(parts[^1]) is { } y ? new Size2DI { X = x, Y = y } : null;
    }

    private static int? ParsePixels(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var pixels) && pixels is > 0 and <= 1024
            ? pixels
            : null;
}
