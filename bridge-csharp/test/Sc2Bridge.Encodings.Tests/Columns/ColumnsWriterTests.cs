using System.Runtime.InteropServices;
using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Encodings.Columns;

namespace Sc2Bridge.Encodings.Tests.Columns;

public sealed class ColumnsWriterTests
{
    // Written twice: the first time the writer learns the units' shapes, the second time it knows them.
    private static V1.Columns Write(byte[] observation)
    {
        var first = WriteOnce(observation);
        Assert.Equal(first, WriteOnce(observation));
        return first;
    }

    private static V1.Columns WriteOnce(byte[] observation)
    {
        var buffer = ColumnsWriter.Write(observation);
        try
        {
            return V1.Columns.Parser.ParseFrom(buffer.Written.Span);
        }
        finally
        {
            buffer.Release();
        }
    }

    private static byte[] Observe(params Unit[] units) => new ResponseObservation
    {
        Observation = new Observation { GameLoop = 5, RawData = new ObservationRaw { Units = { units } } },
    }.ToByteArray();

    private static T[] Values<T>(ByteString vector)
        where T : unmanaged => MemoryMarshal.Cast<byte, T>(vector.Span).ToArray();

    [Fact]
    public void More_units_or_items_than_a_match_can_have_are_refused()
    {
        const int most = 1 << 18;
        var units = Enumerable.Repeat(new Unit(), most + 1).ToArray();
        Assert.Equal((uint)most, Write(Observe(units[1..])).Count);
        var refused = Assert.Throws<EncodingException>(() => Write(Observe(units)));
        Assert.Contains($"more than {most} units", refused.Message, StringComparison.Ordinal);
        var buffs = new Unit { BuffIds = { Enumerable.Repeat(1u, most) } };
        Assert.Equal(most * sizeof(uint), Write(Observe(buffs)).BuffIds.BuffId.Length);
        Assert.Throws<EncodingException>(() => Write(Observe(buffs, new Unit { BuffIds = { 1 } })));
    }

    [Fact]
    public void Each_unit_has_its_row()
    {
        var columns = Write(Observe(
            new Unit { Tag = 1ul << 40, Health = 45, Alliance = Alliance.Enemy, IsFlying = true, Owner = -1 },
            new Unit { Tag = 7, Pos = new Point { X = 1, Z = 3 } }));
        Assert.Equal(2u, columns.Count);
        Assert.Equal([1ul << 40, 7], Values<ulong>(columns.Tag));
        Assert.Equal([45f, 0f], Values<float>(columns.Health));
        Assert.Equal([4, 0], Values<byte>(columns.Alliance));
        Assert.Equal([1, 0], Values<byte>(columns.IsFlying));
        Assert.Equal([-1, 0], Values<int>(columns.Owner));
        Assert.Equal([0f, 0f, 0f, 1f, 0f, 3f], Values<float>(columns.Pos));
        Assert.True(columns.Energy.IsEmpty);
        Assert.Equal(
            [1ul << 2 | 1ul << 3 | 1ul << 5 | 1ul << 14 | 1ul << 20, 1ul << 3 | 1ul << 6 | 1ul << 61 | 1ul << 63],
            Values<ulong>(columns.Present));
        Assert.Equal(5u, columns.Rest.Observation.GameLoop);
        Assert.Empty(columns.Rest.Observation.RawData.Units);
    }

    [Fact]
    public void Lists_stand_end_to_end()
    {
        var columns = Write(Observe(
            new Unit(),
            new Unit { BuffIds = { 5, 6 }, Orders = { new UnitOrder { AbilityId = 3, TargetUnitTag = 9 } } },
            new Unit(),
            new Unit
            {
                BuffIds = { 7 },
                Orders = { new UnitOrder { TargetWorldSpacePos = new Point { X = 1, Y = 2 } }, new UnitOrder() },
                Passengers = { new PassengerUnit { Tag = 4, EnergyMax = 50 } },
                RallyTargets = { new RallyTarget { Point = new Point { Y = 2 }, Tag = 8 } },
            }));
        Assert.Equal([5u, 6u, 7u], Values<uint>(columns.BuffIds.BuffId));
        Assert.Equal([0, 0, 2, 2, 3], Values<int>(columns.BuffIds.Offsets));
        Assert.Equal([0, 0, 1, 1, 3], Values<int>(columns.Orders.Offsets));
        Assert.Equal([3u, 0u, 0u], Values<uint>(columns.Orders.AbilityId));
        Assert.Equal([9ul, 0, 0], Values<ulong>(columns.Orders.TargetUnitTag));
        Assert.Equal([0, 0, 0, 1, 2, 0, 0, 0, 0], Values<float>(columns.Orders.TargetWorldSpacePos));
        Assert.Equal([1 << 1 | 1 << 3, 1 << 2 | 1 << 13 | 1 << 14, 0], Values<ushort>(columns.Orders.Present));
        Assert.Equal([0, 0, 0, 0, 1], Values<int>(columns.Passengers.Offsets));
        Assert.Equal([50f], Values<float>(columns.Passengers.EnergyMax));
        Assert.Equal([8ul], Values<ulong>(columns.RallyTargets.Tag));
    }

    [Fact]
    public void Numbers_that_the_games_enums_do_not_know_count_as_none()
    {
        var columns = Write(Observe(
            new Unit { Tag = 1, Alliance = (Alliance)77, Cloak = (CloakState)(-1), DisplayType = (DisplayType)32 },
            new Unit { Alliance = Alliance.Self, DisplayType = 0 }));
        Assert.Equal([0, 1], Values<byte>(columns.Alliance));
        Assert.True(columns.Cloak.IsEmpty);
        Assert.True(columns.DisplayType.IsEmpty);
        Assert.Equal([1ul << 3, 1ul << 2], Values<ulong>(columns.Present));
    }

    [Fact]
    public void Of_an_orders_targets_the_last_one_counts()
    {
        byte[] both = [
            .. new UnitOrder { TargetUnitTag = 9 }.ToByteArray(),
            .. new UnitOrder { TargetWorldSpacePos = new Point { X = 1, Y = 1 } }.ToByteArray(),
        ];
        byte[] back = [.. both, .. new UnitOrder { TargetUnitTag = 8 }.ToByteArray()];
        byte[] orders = [0xB2, 1, (byte)both.Length, .. both, 0xB2, 1, (byte)back.Length, .. back];
        byte[] raw = [0x12, (byte)orders.Length, .. orders];
        byte[] observation = [0x2A, (byte)raw.Length, .. raw];
        byte[] response = [0x1A, (byte)observation.Length, .. observation];
        Assert.Equal(PlainColumns.Of(response), Write(response));
        Assert.Equal([0ul, 8ul], Values<ulong>(Write(response).Orders.TargetUnitTag));
    }

    [Theory]
    [InlineData("")]
    [InlineData("1A00")]
    [InlineData("1A022A00")]
    [InlineData("1A042A021200")]
    public void Small_observations(string hex)
    {
        var bytes = Convert.FromHexString(hex);
        Assert.Equal(PlainColumns.Of(bytes), Write(bytes));
        Assert.NotNull(Write(bytes).Rest);
    }

    [Theory]
    [InlineData(600)]
    [InlineData(3_000, Traits = ["Suite", "Long"])]
    public void Any_form_of_an_observation(int times) => Prop.ForAll<int>(seed =>
    {
        var observation = WireObservations.Make(seed);
        Assert.Equal(PlainColumns.Of(observation), Write(observation));
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(times)));

    [Fact]
    public void Values_of_units_of_one_shape() => Prop.ForAll<int>(seed =>
    {
        // Few shapes, so that units differ only in their values.
        var random = new Random(seed);
        var observation = Observe([.. Enumerable.Range(0, 50).Select(_ => new Unit
        {
            Tag = (ulong)random.NextInt64(1L << random.Next(1, 60)),
            UnitType = (uint)random.Next(1 << random.Next(1, 12)),
            Alliance = (Alliance)random.Next(9),
            Cloak = (CloakState)random.Next(9),
            DisplayType = (DisplayType)random.Next(40),
            Owner = random.Next(-1, 3),
            Health = random.NextSingle(),
            Pos = random.Next(5) == 0 ? new Point { Y = 1 } : new Point { X = random.NextSingle(), Y = 1, Z = 2 },
            IsBlip = random.Next(2) == 0,
            Orders = { Enumerable.Range(0, random.Next(3)).Select(i => new UnitOrder { AbilityId = (uint)i * 200 }) },
            BuffIds = { Enumerable.Range(0, random.Next(3)).Select(i => (uint)random.Next(300)) },
        })]);
        Assert.Equal(PlainColumns.Of(observation), Write(observation));
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(300)));

    [Fact]
    public void Every_whole_observation()
    {
        foreach (var (_, observation) in Observations.AtHand())
        {
            Assert.Equal(PlainColumns.Of(observation), Write(observation));
        }
    }

    [Fact]
    public void The_columns_have_the_units_fields()
    {
        foreach (var field in Unit.Descriptor.Fields.InFieldNumberOrder())
        {
            Assert.Equal(field.Name, V1.Columns.Descriptor.FindFieldByNumber(field.FieldNumber).Name);
            if (field.IsRepeated && field.FieldType == Google.Protobuf.Reflection.FieldType.Message)
            {
                var items = V1.Columns.Descriptor.FindFieldByNumber(field.FieldNumber).MessageType;
                Assert.Equal(
                    field.MessageType.Fields.InFieldNumberOrder().Select(inner => (inner.FieldNumber, inner.Name)),
                    items.Fields.InFieldNumberOrder().Select(inner => (inner.FieldNumber, inner.Name)).SkipLast(2));
            }
        }

        foreach (var (number, name) in new[] { (16, "offsets"), (17, "present") })
        {
            Assert.Equal(name, V1.OrderColumns.Descriptor.FindFieldByNumber(number).Name);
            Assert.Equal(name, V1.PassengerColumns.Descriptor.FindFieldByNumber(number).Name);
            Assert.Equal(name, V1.RallyTargetColumns.Descriptor.FindFieldByNumber(number).Name);
        }

        Assert.Equal("offsets", V1.BuffColumns.Descriptor.FindFieldByNumber(16).Name);
    }

    [Fact]
    public void Writing_allocates_but_the_buffers_object()
    {
        var observation = Observe([.. Enumerable.Range(0, 1000).Select(i => new Unit
        {
            Tag = (ulong)i, Health = i, Pos = new Point { X = i }, BuffIds = { 1 }, Orders = { new UnitOrder() },
        })]);
        for (var i = 0; i < 100; i++)
        {
            ColumnsWriter.Write(observation).Release();
        }

        // The pooled buffer is an object of about forty bytes. Its array comes from the pool.
        var before = GC.GetAllocatedBytesForCurrentThread();
        ColumnsWriter.Write(observation).Release();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64);
    }
}
