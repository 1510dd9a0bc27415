using System.Buffers;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol.Tests;

/// <summary>The output is the same as the library's, and both the library and our reader can read it.</summary>
public sealed class WireWriterTests
{
    [Fact]
    public void A_message_is_written_as_the_library_writes_it_forwards_and_backwards()
    {
        var unit = new Unit
        {
            Tag = ulong.MaxValue,
            UnitType = 300,
            Owner = -1,
            Facing = 1.5f,
            IsFlying = true,
            Energy = float.NaN,
            Orders = { new UnitOrder { AbilityId = 16 } },
        };
        var expected = new Response { Observation = Around(unit), Id = 7 }.ToByteArray();
        var order = unit.Orders[0].ToByteArray();

        var forwards = new WireWriter(MessageBuffer.Rent());
        var observation = forwards.Begin(Response.ObservationFieldNumber);
        var inner = forwards.Begin(ResponseObservation.ObservationFieldNumber);
        var raw = forwards.Begin(Observation.RawDataFieldNumber);
        var start = forwards.Begin(ObservationRaw.UnitsFieldNumber);
        forwards.Number(Unit.TagFieldNumber, unit.Tag);
        forwards.Number(Unit.UnitTypeFieldNumber, unit.UnitType);
        forwards.Number(Unit.OwnerFieldNumber, unit.Owner);
        forwards.Real(Unit.FacingFieldNumber, unit.Facing);
        forwards.Real(Unit.EnergyFieldNumber, unit.Energy);
        forwards.Bool(Unit.IsFlyingFieldNumber, true);
        forwards.Bytes(Unit.OrdersFieldNumber, order);
        forwards.End(start);
        forwards.End(raw);
        forwards.End(inner);
        forwards.End(observation);
        forwards.Number(Response.IdFieldNumber, 7u);
        Assert.Equal(Response.Parser.ParseFrom(expected), Response.Parser.ParseFrom(forwards.Buffer.Written.Span));
        forwards.Buffer.Release();

        var array = new byte[500];
        var backwards = new BackwardWriter(array, array.Length);
        backwards.WriteNumber(Response.IdFieldNumber, 7);
        backwards.WriteBytes(Response.ObservationFieldNumber, Around(unit).ToByteArray());
        Assert.Equal(expected, array[backwards.Start..]);

        var any = new ArrayBufferWriter<byte>();
        WireWriter.WriteBytes(any, Response.ObservationFieldNumber, Around(unit).ToByteArray());
        WireWriter.WriteNumber(any, Response.IdFieldNumber, 7);
        Assert.Equal(expected, any.WrittenSpan.ToArray());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(16_383)]
    [InlineData(16_384)]
    [InlineData(2_097_152)]
    public void A_length_that_was_not_known_takes_its_place_whatever_it_is(int length)
    {
        var content = new byte[length];
        new Random(length).NextBytes(content);
        var buffer = MessageBuffer.Rent(1);
        var writer = new WireWriter(buffer);
        writer.Number(2, 5u);
        var start = writer.Begin(1);
        writer.Raw(content);
        writer.End(start);
        writer.Number(3, 6u);
        byte[] expected = [.. Wire.Number(2, 5), .. Wire.Bytes(1, content), .. Wire.Number(3, 6)];
        Assert.True(buffer.Written.Span.SequenceEqual(expected));
        Assert.Equal(expected.Length, WireWriter.NumberSize(2, 5) + WireWriter.BytesSize(1, length) + 2);
        buffer.Release();
    }

    [Fact]
    public void Numbers_take_as_many_bytes_as_is_said_and_are_read_back() =>
        Prop.ForAll<ulong, byte>((number, shift) =>
        {
            var value = number >> (shift % 64);
            var bytes = new byte[WireWriter.LongestVarint];
            var length = WireWriter.WriteVarint(bytes, value);
            return length == WireWriter.VarintSize(value)
                && length == CodedOutputStream.ComputeUInt64Size(value)
                && WireReader.ReadVarint(bytes, out var read) == length
                && read == value
                && WireReader.ReadVarint(bytes.AsSpan(0, length - 1), out _) == 0;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(1000)));

    [Fact]
    public void Each_field_is_shown_with_its_place_and_a_group_as_one()
    {
        byte[] group = [.. Wire.Tag(4, 3), .. Wire.Bytes(1, [9]), .. Wire.Tag(4, 4)];
        byte[] message = [.. Wire.Number(1, 300), .. group, .. Wire.Bytes(2, [7, 8])];
        var reader = new WireReader(message);
        Assert.True(reader.Next());
        Assert.Equal((1, 300ul, 0, 3), (reader.Field, reader.VarintValue, reader.Start, reader.End));
        Assert.True(reader.Next());
        Assert.Equal((4, WireFormat.WireType.StartGroup), (reader.Field, reader.Type));
        Assert.Equal(group, reader.Whole.ToArray());
        Assert.True(reader.Next());
        Assert.Equal([7, 8], reader.Content.ToArray());
        Assert.False(reader.Next());
        Assert.False(reader.IsMalformed);
    }

    [Fact]
    public void Without_an_exception_the_malformed_rest_is_reported()
    {
        byte[] message = [.. Wire.Number(1, 3), 0x12, 5, 0];
        var reader = new WireReader(message);
        Assert.True(reader.TryNext());
        Assert.False(reader.TryNext());
        Assert.True(reader.IsMalformed);
        Assert.False(reader.TryNext());
        Assert.Equal(3, Assert.Throws<MalformedMessageException>(() => Read(message)).Offset);
    }

    private static void Read(byte[] message)
    {
        var reader = new WireReader(message);
        while (reader.Next())
        {
        }
    }

    private static ResponseObservation Around(Unit unit) => new()
    {
        Observation = new Observation { RawData = new ObservationRaw { Units = { unit } } },
    };
}
