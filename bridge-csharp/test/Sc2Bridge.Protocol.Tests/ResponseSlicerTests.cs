using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol.Tests;

public class ResponseSlicerTests
{
    public static TheoryData<int> Bodies =>
        [.. Response.Descriptor.Oneofs.Single(oneof => !oneof.IsSynthetic).Fields.Select(body => body.FieldNumber)];

    [Theory]
    [MemberData(nameof(Bodies))]
    public void Every_body_is_found_at_its_place(int field)
    {
        var response = new Response { Id = uint.MaxValue, Status = Status.InGame };
        var descriptor = Response.Descriptor.FindFieldByNumber(field);
        descriptor.Accessor.SetValue(response, descriptor.MessageType.Parser.ParseFrom(Array.Empty<byte>()));
        Assert.Equal(
            new ResponseSlice(uint.MaxValue, Status.InGame, field, Wire.Tag(field, 2).Length + 1, 0, false),
            ResponseSlicer.Slice(response.ToByteArray()));
    }

    [Fact]
    public void An_empty_response_has_nothing() =>
        Assert.Equal(new ResponseSlice(null, null, 0, 0, 0, false), ResponseSlicer.Slice([]));

    [Fact]
    public void Errors_are_seen_with_and_without_a_body()
    {
        Assert.True(ResponseSlicer.Slice(new Response { Error = { "Not in a game" } }.ToByteArray()).HasErrors);
        var warned = ResponseSlicer.Slice(new Response { Error = { "" }, Ping = new() }.ToByteArray());
        Assert.True(warned.HasErrors);
        Assert.Equal(Response.PingFieldNumber, warned.BodyField);
    }

    [Fact]
    public void The_last_of_several_counts()
    {
        byte[] bytes =
        [
            .. Wire.Bytes(19, 1, 2), .. Wire.Number(97, 1), .. Wire.Number(99, 2),
            .. Wire.Bytes(12, 8, 7), .. Wire.Number(97, 3), .. Wire.Number(99, 3),
        ];
        var slice = ResponseSlicer.Slice(bytes);
        Assert.Equal((3u, Status.InGame, 12, 2), (slice.Id, slice.Status, slice.BodyField, slice.BodyLength));
        Assert.Equal([8, 7], bytes[slice.BodyStart..(slice.BodyStart + slice.BodyLength)]);
    }

    [Fact]
    public void A_body_in_two_parts_is_refused_and_one_that_was_replaced_is_not()
    {
        byte[] step = Wire.Bytes(12, 8, 7);
        var refusal = Assert.Throws<MalformedMessageException>(() => ResponseSlicer.Slice([.. step, .. step]));
        Assert.Equal(step.Length, refusal.Offset);
        Assert.Contains("twice at byte 4", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(12, ResponseSlicer.Slice([.. step, .. Wire.Bytes(19), .. step]).BodyField);
    }

    [Fact]
    public void Unknown_fields_are_skipped()
    {
        byte[] inner = [.. Wire.Tag(31, 3), .. Wire.Tag(31, 4)];
        byte[] group = [.. Wire.Tag(30, 3), .. Wire.Number(1, 5), .. inner, .. Wire.Tag(30, 4)];
        byte[] bytes =
        [
            .. group, .. Wire.Tag(23, 5), 1, 2, 3, 4, .. Wire.Tag(24, 1), 1, 2, 3, 4, 5, 6, 7, 8,
            .. Wire.Bytes(1000, 9), .. Wire.Number(10, 5), .. Wire.Bytes(97, 1), .. Wire.Bytes(99, 1), .. Wire.Number(98, 1), .. Wire.Bytes(19),
        ];
        Assert.Equal(new ResponseSlice(null, null, 19, bytes.Length, 0, false), ResponseSlicer.Slice(bytes));
    }

    [Theory]
    [InlineData("52", "varint")] // a tag, and no length
    [InlineData("5205", "5 bytes, but only 0")]
    [InlineData("52FFFFFFFFFFFFFFFFFF01", "18446744073709551615 bytes, but only 0")]
    [InlineData("5280808080808080808080808000", "longer than ten bytes")]
    [InlineData("FFFFFFFFFF01", "longer than 32 bits")]
    [InlineData("0200", "number 0")]
    [InlineData("56", "wire type 6")]
    [InlineData("57", "wire type 7")]
    [InlineData("54", "never started")]
    [InlineData("53", "within group 10")]
    [InlineData("535C", "closed as group 11")]
    [InlineData("51000000", "within field 10")]
    [InlineData("55000000", "within field 10")]
    public void Invalid_messages_are_refused(string hex, string reason)
    {
        var error = Assert.Throws<MalformedMessageException>(() => ResponseSlicer.Slice(Convert.FromHexString(hex)));
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }

    [Fact]
    public void Groups_nested_without_end_do_not_end_the_process()
    {
        var bytes = new byte[1_000_000];
        Array.Fill(bytes, (byte)0x53);
        Assert.Throws<MalformedMessageException>(() => ResponseSlicer.Slice(bytes));
    }

    [Fact]
    public void Whole_observations_come_out_byte_for_byte()
    {
        foreach (var (_, message) in Observations.AtHand())
        {
            byte[] response = [.. Wire.Bytes(10, message), .. Wire.Number(97, 7), .. Wire.Number(99, 3)];
            var slice = ResponseSlicer.Slice(response);
            Assert.Equal((7u, Status.InGame, 10, false), (slice.Id, slice.Status, slice.BodyField, slice.HasErrors));
            Assert.True(response.AsSpan(slice.BodyStart, slice.BodyLength).SequenceEqual(message));
        }
    }

    [Theory]
    [Trait("Needs", "real")]
    [InlineData("game_info.pb")]
    [InlineData("data.pb")]
    public void Real_responses_are_cut_as_they_parse(string ending)
    {
        foreach (var bytes in SharedFolder.RealMessages(ending))
        {
            var parsed = Response.Parser.ParseFrom(bytes);
            var slice = ResponseSlicer.Slice(bytes);
            Assert.Equal((int)parsed.ResponseCase, slice.BodyField);
            Assert.Equal(parsed.HasId ? parsed.Id : null, slice.Id);
            Assert.Equal(parsed.HasStatus ? parsed.Status : null, slice.Status);
            Assert.Equal(parsed.Error.Count > 0, slice.HasErrors);
            var field = Response.Descriptor.FindFieldByNumber(slice.BodyField);
            Assert.Equal(
                (IMessage)field.Accessor.GetValue(parsed),
                field.MessageType.Parser.ParseFrom(bytes.AsSpan(slice.BodyStart, slice.BodyLength)));
        }
    }
}
