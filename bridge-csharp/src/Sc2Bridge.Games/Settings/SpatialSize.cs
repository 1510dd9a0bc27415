using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>The size of feature layers or of the rendered picture, as people write it.</summary>
public static class SpatialSize
{
    /// <summary>
    /// Reads <c>SCREEN</c> or <c>SCREEN,MINIMAP</c>, each <c>WIDTHxHEIGHT</c> or one number for both, in pixels.
    /// </summary>
    /// <exception cref="GameException">It is no such size.</exception>
    public static SpatialCameraSetup Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var sizes = text.Split(',');
        return sizes.Length <= 2 && Size(sizes[0]) is { } screen && Size(sizes[^1]) is { } minimap
            ? new SpatialCameraSetup
            {
                Resolution = screen,
                MinimapResolution = minimap,
                CropToPlayableArea = false,
                AllowCheatingLayers = false,
            }
            : throw new GameException(
                $"Size '{text}' is not understood: give SCREEN or SCREEN,MINIMAP in pixels (1 to 1024), such as " +
                "84x84,64x64.");
    }

    private static Size2DI? Size(string text)
    {
        var parts = text.Trim().Split('x', 'X');
        return parts.Length <= 2 && Pixels(parts[0]) is { } x && Pixels(parts[^1]) is { } y ? new Size2DI { X = x, Y = y } : null;
    }

    private static int? Pixels(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var pixels) && pixels is > 0 and <= 1024
            ? pixels
            : null;
}
