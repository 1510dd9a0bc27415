using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Patches;

/// <summary>Makes images larger. Their content stays the same.</summary>
internal static class LargerImages
{
    /// <summary>Adds empty columns at the right and empty rows above.</summary>
    /// <param name="image">An image with 1 or 8 bits for each pixel.</param>
    /// <param name="columns">The number of added columns.</param>
    /// <param name="rows">The number of added rows.</param>
    public static ImageData Pad(ImageData image, int columns, int rows)
    {
        var size = new Size2DI { X = image.Size.X + columns, Y = image.Size.Y + rows };
        var bits = image.BitsPerPixel;
        var from = image.Data.Span;
        var to = new byte[((size.X * size.Y * bits) + 7) / 8];
        for (var old = 0; old < image.Size.X * image.Size.Y; old++)
        {
            var pixel = (old / image.Size.X * size.X) + (old % image.Size.X);
            if (bits == 1)
            {
                to[pixel / 8] |= (byte)(Bit(from, old) << (7 - (pixel % 8)));
            }
            else
            {
                to[pixel] = from[old];
            }
        }

        return new ImageData(image) { Size = size, Data = UnsafeByteOperations.UnsafeWrap(to) };
    }

    /// <summary>Gives each pixel more bits: 8 for 1, 16 for 8.</summary>
    public static ImageData Widen(ImageData image)
    {
        if (image.BitsPerPixel > 8)
        {
            return image;
        }

        var bytes = image.BitsPerPixel == 1 ? 1 : 2;
        var from = image.Data.Span;
        var to = new byte[image.Size.X * image.Size.Y * bytes];
        for (var pixel = 0; pixel < to.Length / bytes; pixel++)
        {
            to[pixel * bytes] = bytes == 1 ? Bit(from, pixel) : from[pixel];
        }

        return new ImageData(image) { BitsPerPixel = 8 * bytes, Data = UnsafeByteOperations.UnsafeWrap(to) };
    }

    private static byte Bit(ReadOnlySpan<byte> data, int pixel) => (byte)((data[pixel / 8] >> (7 - (pixel % 8))) & 1);
}
