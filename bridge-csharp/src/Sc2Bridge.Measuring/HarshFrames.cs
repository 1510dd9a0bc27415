using Google.Protobuf;
using Google.Protobuf.Collections;
using SC2APIProtocol;

namespace Sc2Bridge.Measuring;

/// <summary>
/// The harsh sequence: 999 units, of which 400 (40 %) get a new place of full mantissas each step, and an image of
/// visibility of which a hundredth changes each step; 160 KiB a frame. Nothing like it happens in a game: it shows what
/// is left of a gain that rests on what stays the same. A seed gives the same bytes on any machine.
/// </summary>
public static class HarshFrames
{
    /// <summary>Frames of the whole sequence.</summary>
    public const int Count = 600;

    /// <summary>The seed that figures are told of.</summary>
    public const int Seed = 1;

    private const int Units = 999;
    private const int Moving = 400;
    private const int Bytes = 160 << 10;
    private const ulong FirstTag = 0x1_0000_0001;

    /// <summary>Makes the first frames of the sequence.</summary>
    /// <param name="count">How many of them.</param>
    /// <param name="seed">Decides them.</param>
    /// <param name="ct">Gives up.</param>
    public static MeasuredFrames Make(int count, int seed, CancellationToken ct)
    {
        var random = new Random(seed);
        var observation = ResponseObservation.Parser.ParseFrom(SimulatedFrames.Consecutive(14_999, 1, ct).All[0]);
        var units = observation.Observation.RawData.Units;
        var kinds = units.Count;
        for (var index = 0; index < Units; index++)
        {
            if (index >= units.Count)
            {
                units.Add(units[index - kinds].Clone());
            }

            units[index].Tag = FirstTag + ((ulong)index << 18);
        }

        while (units.Count > Units)
        {
            units.RemoveAt(Units);
        }

        Fill(observation, units);
        var visibility = observation.Observation.RawData.MapState.Visibility;
        var cells = visibility.Data.ToByteArray();
        var order = Enumerable.Range(0, Units).ToArray();
        var frames = new byte[count][];
        for (var frame = 0; frame < count; frame++)
        {
            ct.ThrowIfCancellationRequested();
            observation.Observation.GameLoop++;
            random.Shuffle(order);
            foreach (var index in order.AsSpan(0, Moving))
            {
                var pos = units[index].Pos;
                (pos.X, pos.Y, pos.Z) = (Place(random, 200), Place(random, 200), Place(random, 16));
            }

            for (var change = 0; change < cells.Length / 100; change++)
            {
                cells[random.Next(cells.Length)] = (byte)random.Next(3);
            }

            visibility.Data = ByteString.CopyFrom(cells);
            frames[frame] = observation.ToByteArray();
        }

        var kib = frames.Average(bytes => bytes.Length) / 1024;
        return new MeasuredFrames(
            frames,
            FormattableString.Invariant($"harsh: {count} frames, seed {seed}, {kib:0.0} KiB in the mean"));
    }

    // Every bit of the mantissa counts.
    private static float Place(Random random, float size) => (random.NextSingle() + 1e-3f) * size;

    // Orders, as units in production have them, up to the wanted size.
    private static void Fill(ResponseObservation observation, RepeatedField<Unit> units)
    {
        var order = new UnitOrder { AbilityId = 524, Progress = 0.5f };
        var each = order.CalculateSize() + 2;
        var missing = Bytes - observation.CalculateSize();
        for (var index = 0; missing > each; index++, missing -= each)
        {
            units[index % Units].Orders.Add(order.Clone());
        }
    }
}
