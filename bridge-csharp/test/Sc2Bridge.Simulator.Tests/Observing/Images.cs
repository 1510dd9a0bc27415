using System.Buffers.Binary;

namespace Sc2Bridge.Simulator.Tests.Observing;

/// <summary>Feature layers in tests: requests for them, and the values of their pixels.</summary>
internal static class Images
{
    public static InterfaceOptions Options(int width = 84, int height = 84, int minimap = 64, bool crop = false) => new()
    {
        Raw = true,
        Score = true,
        FeatureLayer = new SpatialCameraSetup
        {
            Width = 24,
            Resolution = new Size2DI { X = width, Y = height },
            MinimapResolution = new Size2DI { X = minimap, Y = minimap },
            CropToPlayableArea = crop,
        },
    };

    /// <summary>A layer by its name in s2client-proto.</summary>
    public static ImageData Layer(this Google.Protobuf.IMessage layers, string name) =>
        (ImageData)layers.Descriptor.FindFieldByName(name).Accessor.GetValue(layers);

    public static int At(this ImageData image, int x, int y)
    {
        var at = (y * image.Size.X) + x;
        return image.BitsPerPixel switch
        {
            1 => (image.Data[at / 8] >> (7 - (at % 8))) & 1,
            8 => image.Data[at],
            _ => BinaryPrimitives.ReadInt32LittleEndian(image.Data.Span[(4 * at)..]),
        };
    }

    /// <summary>The pixels, row by row.</summary>
    public static int[] Pixels(this ImageData image) =>
        [.. Enumerable.Range(0, image.Size.X * image.Size.Y).Select(i => image.At(i % image.Size.X, i / image.Size.X))];
}
