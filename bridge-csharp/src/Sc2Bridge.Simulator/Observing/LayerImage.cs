using System.Runtime.InteropServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// The layers of one image, kept as the bytes of their message (FeatureLayers or FeatureLayersMinimap). Pixels are drawn
/// in place, because the message's length never changes.
/// </summary>
internal sealed class LayerImage
{
    private const int Samples = 4; // samples along each side of a pixel
    private readonly FeatureLayer[] _layers;
    private readonly int[] _starts;
    private readonly int[] _sizes; // in bytes
    private readonly byte[] _bytes;
    private readonly int _columns;
    private readonly int _rows;
    private int[] _halves = [];

    /// <summary>Creates an empty image.</summary>
    public LayerImage(FeatureLayer[] layers, int columns, int rows)
    {
        (_layers, _columns, _rows, _starts) = (layers, columns, rows, new int[layers.Length]);
        _sizes = [.. layers.Select(layer => (int)((((long)columns * rows * layer.Bits) + 7) / 8))];
        var buffer = MessageBuffer.Rent();
        var wire = new WireWriter(buffer);
        for (var i = 0; i < layers.Length; i++)
        {
            var image = wire.Begin(layers[i].Field);
            wire.Number(1, layers[i].Bits);
            var size = wire.Begin(2);
            wire.Number(1, columns);
            wire.Number(2, rows);
            wire.End(size);
            wire.Bytes(3, new byte[_sizes[i]]);
            wire.End(image);
            _starts[i] = buffer.Length - _sizes[i];
        }

        _bytes = buffer.Written.ToArray();
        buffer.Release();
    }

    /// <summary>The message.</summary>
    public ReadOnlySpan<byte> Message => _bytes;

    /// <summary>The index of a layer.</summary>
    public int IndexOf(string name) => Array.FindIndex(_layers, layer => layer.Name == name);

    /// <summary>A layer's pixels.</summary>
    public Span<byte> Data(int layer) => _bytes.AsSpan(_starts[layer], _sizes[layer]);

    /// <summary>Sets the pixels of a part of a row. The part outside the image is ignored.</summary>
    /// <param name="layer">The layer's index.</param>
    /// <param name="row">The row.</param>
    /// <param name="from">The first column.</param>
    /// <param name="to">The column after the last one.</param>
    /// <param name="value">The value of the pixels.</param>
    public void Fill(int layer, int row, int from, int to, int value)
    {
        if (!Cut(row, ref from, ref to, out var at))
        {
            return;
        }

        var data = Data(layer);
        switch (_layers[layer].Bits)
        {
            case 8:
                data.Slice(at, to - from).Fill((byte)value);
                break;
            case 32:
                MemoryMarshal.Cast<byte, int>(data).Slice(at, to - from).Fill(value);
                break;
            default:
                SetBits(data, at, at + to - from, value != 0);
                break;
        }
    }

    /// <summary>Draws a disc.</summary>
    /// <param name="layers">The indexes of the layers.</param>
    /// <param name="values">The value in each layer. If it is empty, the pixels' values are increased by one.</param>
    /// <param name="grid">The image's position on the map.</param>
    /// <param name="x">The disc's center, in 1/4096 of a cell.</param>
    /// <param name="y">The disc's center.</param>
    /// <param name="radius">The radius in 1/4096 of a cell.</param>
    /// <remarks>
    /// The radius counts whole pixels from the pixel of the center. Outside the image, the center is rounded towards the image.
    /// This rule reproduces every pixel of the real message's screen, and of the player's units on its minimap.
    /// </remarks>
    public void Disc(
        ReadOnlySpan<int> layers, ReadOnlySpan<int> values, in PixelGrid grid, int x, int y, int radius)
    {
        var column = (int)((x - grid.Left) * grid.Pixels / grid.Extent);
        var row = (int)((grid.Top - y) * grid.Pixels / grid.Extent);
        var most = (int)((long)radius * grid.Pixels / grid.Extent);
        if (column + most < 0 || column - most >= _columns || row + most < 0 || row - most >= _rows)
        {
            return;
        }

        if (_halves.Length <= most)
        {
            _halves = new int[most + 1];
        }

        for (var i = 0; i <= most; i++)
        {
            _halves[i] = (int)Math.Sqrt((most * most) + most - (i * i));
        }

        for (var i = 0; i < layers.Length; i++)
        {
            for (var at = Math.Max(-most, -row); at <= most && row + at < _rows; at++)
            {
                var half = _halves[Math.Abs(at)];
                if (values.IsEmpty)
                {
                    Add(layers[i], row + at, column - half, column + half + 1, 1);
                }
                else
                {
                    Fill(layers[i], row + at, column - half, column + half + 1, values[i]);
                }
            }
        }
    }

    /// <summary>Adds the part of each pixel that a disc covers, in sixteenths: the number of samples in the disc.</summary>
    /// <remarks>This rule reproduces all 16,384 pixels of the real message.</remarks>
    public void Cover(int layer, in PixelGrid grid, int x, int y, int radius)
    {
        // The unit is an eighth of a pixel, times the extent. Samples are at odd numbers of eighths.
        const int Parts = 2 * Samples;
        var (middleX, middleY) = ((x - grid.Left) * grid.Pixels * Parts, (grid.Top - y) * grid.Pixels * Parts);
        var far = (long)radius * grid.Pixels * Parts;
        var first = Math.Max(0, (((middleY - far) / grid.Extent) - 1) / 2);
        for (var row = first; row < (long)_rows * Samples; row++)
        {
            var up = (((2 * row) + 1) * grid.Extent) - middleY;
            if (up > far)
            {
                break;
            }

            if (-up > far)
            {
                continue;
            }

            var half = Math.Sqrt((far * far) - (up * up));
            var from = (int)Math.Max(0, Math.Ceiling((((middleX - half) / grid.Extent) - 1) / 2));
            var to = (int)Math.Min(
                ((long)_columns * Samples) - 1, Math.Floor((((middleX + half) / grid.Extent) - 1) / 2));
            for (var at = from; at <= to;)
            {
                var end = Math.Min(to, at | (Samples - 1));
                var whole = end == (at | (Samples - 1)) && at % Samples == 0 ? (to + 1 - at) / Samples : 1;
                var pixel = at / Samples;
                Add(layer, (int)row / Samples, pixel, pixel + whole, end + 1 - at);
                at = (pixel + whole) * Samples;
            }
        }
    }

    // A pixel of one byte stops at 255.
    private void Add(int layer, int row, int from, int to, int value)
    {
        if (Cut(row, ref from, ref to, out var at))
        {
            foreach (ref var pixel in Data(layer).Slice(at, to - from))
            {
                pixel = (byte)Math.Min(255, pixel + value);
            }
        }
    }

    private bool Cut(int row, ref int from, ref int to, out int at)
    {
        (from, to) = (Math.Max(from, 0), Math.Min(to, _columns));
        at = (row * _columns) + from;
        return (uint)row < (uint)_rows && from < to;
    }

    private static void SetBits(Span<byte> data, int from, int to, bool on)
    {
        for (var at = from; at < to; at++)
        {
            var bit = (byte)(0x80 >> (at & 7));
            data[at >> 3] = (byte)(on ? data[at >> 3] | bit : data[at >> 3] & ~bit);
        }
    }
}
