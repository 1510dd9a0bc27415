using System.Runtime.InteropServices;
using Sc2Bridge.Encodings.Columns;

namespace Sc2Bridge.Encodings.Tests.Columns;

public sealed class ObservationRowsTests : IDisposable
{
    private const int Rows = 40;
    private const int Frames = 200;

    private readonly nint _memory = Marshal.AllocHGlobal(3 * Frames * Rows * sizeof(ulong));

    // The memory of an observation must not move.
    private static byte[] Observe(IEnumerable<Unit> units)
    {
        var bytes = new ResponseObservation { Observation = new Observation { RawData = new ObservationRaw { Units = { units } } } }.ToByteArray();
        var pinned = GC.AllocateUninitializedArray<byte>(bytes.Length, pinned: true);
        bytes.CopyTo(pinned, 0);
        return pinned;
    }

    private ColumnTarget Column(int number, int field, int size, ColumnTable table = ColumnTable.Units) =>
        new(_memory + (number * Frames * Rows * sizeof(ulong)), (long)Frames * (table == ColumnTable.Units ? Rows : 1) * size, table, field, size, 0);

    private T[] Values<T>(int number, int frame, int count)
        where T : unmanaged
    {
        var bytes = new byte[count * Marshal.SizeOf<T>()];
        Marshal.Copy(_memory + (number * Frames * Rows * sizeof(ulong)) + (frame * bytes.Length), bytes, 0, bytes.Length);
        return MemoryMarshal.Cast<byte, T>(bytes).ToArray();
    }

    [Fact]
    public void Rows_are_right_while_units_change_appear_and_die()
    {
        var random = new Random(1);
        using var rows = new ObservationRows(Rows, Frames, [Column(0, 3, 8), Column(1, 14, 4), Column(2, 0, 8, ColumnTable.Frames)]);
        var units = Enumerable.Range(1, 20).Select(tag => new Unit { Tag = (ulong)tag, Health = tag }).ToList();
        List<byte[]> kept = [];
        for (var frame = 0; frame < Frames; frame++)
        {
            units.RemoveAll(_ => random.Next(20) == 0);
            foreach (var unit in units.Where(_ => random.Next(4) == 0))
            {
                unit.Health = random.NextSingle();
            }

            while (units.Count < Rows && random.Next(2) == 0)
            {
                units.Insert(random.Next(units.Count + 1), new Unit { Tag = (ulong)random.NextInt64(), Alliance = Alliance.Enemy });
            }

            kept.Add(Observe(units));
            Assert.Equal(units.Count, rows.Read(kept[^1], 7, Frames - 1 - frame));
            var none = new Unit[Rows - units.Count];
            Assert.Equal([.. units.Select(unit => unit.Tag), .. none.Select(_ => 0ul)], Values<ulong>(0, Frames - 1 - frame, Rows));
            Assert.Equal([.. units.Select(unit => unit.Health), .. none.Select(_ => 0f)], Values<float>(1, Frames - 1 - frame, Rows));
        }

        GC.KeepAlive(kept);
    }

    [Fact]
    public void A_frame_with_more_units_than_rows_is_only_counted()
    {
        using var rows = new ObservationRows(Rows, Frames, [Column(0, 3, 8)]);
        Assert.Equal(Rows + 1, rows.Read(Observe(Enumerable.Repeat(new Unit { Tag = 1 }, Rows + 1)), 0, 0));
        Assert.Equal(Rows, rows.Read(Observe(Enumerable.Repeat(new Unit { Tag = 2 }, Rows)), 0, 0));
        Assert.Equal(2ul, Values<ulong>(0, 0, Rows)[Rows - 1]);
    }

    [Fact]
    public void Columns_that_do_not_exist_or_do_not_fit_are_refused()
    {
        foreach (var wrong in (ColumnTarget[])
            [
                Column(0, 6, 4), Column(0, 22, 4), Column(0, 64, 4), Column(0, -1, 4), Column(0, 3, 4), Column(0, 7, 8), Column(0, 0, 8),
                Column(0, 3, 8, ColumnTable.Frames), Column(0, 12, 4, ColumnTable.Players), Column(0, 3, 8, (ColumnTable)3),
                Column(0, 3, 8) with { Bytes = 8 }, Column(0, 3, 8) with { Data = 0 }, Column(0, 3, 8) with { Data = _memory + 4 },
            ])
        {
            Assert.Throws<ArgumentException>(() => new ObservationRows(Rows, Frames, [wrong]));
        }

        Assert.Throws<ArgumentException>(() => new ObservationRows(0, Frames, []));
        Assert.Throws<ArgumentException>(() => new ObservationRows(Rows, 0, []));
    }

    public void Dispose() => Marshal.FreeHGlobal(_memory);
}
