using System.Text;
using Sc2Bridge.Encodings.Json.Writing;

namespace Sc2Bridge.Encodings.Tests.Json;

public sealed class WireToJsonTests
{
    [Fact]
    public void The_text_has_no_white_space_and_names_as_the_mapping_has_them()
    {
        var unit = new Unit
        {
            DisplayType = DisplayType.Visible,
            Tag = 4345298945,
            Pos = new Point { X = 35.5f, Y = -0.25f, Z = 11.98291f },
            BuildProgress = 1,
            IsFlying = false,
            BuffIds = { 5, 281 },
            Orders = { new UnitOrder { AbilityId = 16, TargetUnitTag = 7 }, new UnitOrder() },
        };
        Assert.Equal(
            """{"displayType":"Visible","tag":"4345298945","pos":{"x":35.5,"y":-0.25,"z":11.98291},"""
            + "\"buildProgress\":1,\"isFlying\":false,"
            + "\"orders\":" + """[{"abilityId":16,"targetUnitTag":"7"},{}],"buffIds":[5,281]}""",
            Text(unit));
    }

    [Fact]
    public void An_empty_message_is_an_object() => Assert.Equal("{}", Text(new V1.PlayResponse()));

    [Fact]
    public void Fields_without_presence_are_left_out_if_they_are_zero()
    {
        byte[] wire = [0x0A, 0x00, 0x18, 0x00, 0x20, 0x00, 0x28, 0x00];
        Assert.Equal("{}", Writing.Text(V1.Frame.Descriptor, wire));
        Assert.Equal("""{"gameLoop":0}""", Text(new Observation { GameLoop = 0 }));
    }

    [Fact]
    public void Text_is_escaped_and_bytes_are_base64()
    {
        var chat = new ChatReceived { Message = "\"\\\b\f\n\r\t\u0001\u007f/é𝄞" };
        Assert.Equal("""{"message":"\"\\\b\f\n\r\t\u0001\u007f/é𝄞"}""", Text(chat));
        Assert.Equal("""{"data":"AAECAw=="}""", Text(new ImageData { Data = ByteString.CopyFrom(0, 1, 2, 3) }));
    }

    [Fact]
    public void Invalid_utf8_is_replaced_as_dotnet_does()
    {
        var random = new Random(5);
        for (var round = 0; round < 5_000; round++)
        {
            byte[] text = [(byte)random.Next(256), .. Damage.Some("a\"é𝄞b"u8.ToArray(), random)];
            var mended = new ChatReceived { Message = System.Text.Encoding.UTF8.GetString(text) };
            Assert.Equal(Text(mended), Writing.Text(ChatReceived.Descriptor, Chat(text)));
        }
    }

    // The library merges repeated fields, and refuses such text.
    [Fact]
    public void Text_that_is_no_utf8_in_a_message_that_has_to_be_put_in_order_is_refused()
    {
        byte[] twice = [.. Chat([0xFF]), .. Chat("a"u8)];
        var refused = Assert.Throws<EncodingException>(() => Writing.Text(ChatReceived.Descriptor, twice));
        Assert.Equal("SC2APIProtocol.ChatReceived cannot be read (String is invalid UTF-8.), at byte 0", refused.Message);
    }

    [Theory]
    [InlineData(float.NaN, "\"NaN\"")]
    [InlineData(float.PositiveInfinity, "\"Infinity\"")]
    [InlineData(float.NegativeInfinity, "\"-Infinity\"")]
    [InlineData(3.4028233e38f, "3.4028233E+38")]
    public void Special_numbers_are_written_as_the_mapping_has_them(float value, string text)
    {
        Assert.Equal($"{{\"x\":{text}}}", Text(new Point2D { X = value }));
    }

    // Python reads "-0" as a whole number, which has no negative zero.
    [Fact]
    public void The_negative_zero_has_a_point_so_that_every_reader_keeps_its_sign()
    {
        Assert.Equal("{\"x\":-0.0}", Text(new Point2D { X = -0f }));
        var room = new byte[TextNumbers.Longest];
        var length = TextNumbers.Double(ref room[0], 0, BitConverter.DoubleToUInt64Bits(-0d));
        Assert.Equal("-0.0", System.Text.Encoding.UTF8.GetString(room, 0, length));
    }

    // Python's protobuf refuses 3.4028235E+38, the shortest text, as larger than any float.
    [Theory]
    [InlineData(float.MaxValue, "3.4028234663852886E+38")]
    [InlineData(float.MinValue, "-3.4028234663852886E+38")]
    public void The_largest_float_is_written_as_no_more_than_it_is(float value, string text)
    {
        Assert.Equal($"{{\"x\":{text}}}", Text(new Point2D { X = value }));
        Assert.Equal(value, JsonParser.Default.Parse<Point2D>(Text(new Point2D { X = value })).X);
    }

    [Fact]
    public void A_number_that_a_closed_enum_does_not_name_is_left_out_and_one_of_an_open_enum_stays()
    {
        Assert.Equal("""{"alerts":["NydusWormDetected"]}""", Text(new Observation
        {
            Alerts = { (Alert)999, Alert.NydusWormDetected, (Alert)(-1) },
        }));
        Assert.Equal("{}", Text(new Observation { Alerts = { (Alert)999 } }));
        Assert.Equal("""{"policy":99,"exclude":[77]}""", Text(new SubscribeRequest
        {
            Policy = (Policy)99,
            Exclude = { (Part)77 },
        }));
    }

    [Theory]
    [InlineData("10", "a field runs past the end of its message, at byte 0")] // a varint is missing
    [InlineData("1A 05 08", "a length is 5 bytes, but 1 bytes are left, at byte 0")]
    [InlineData("1A 02 0A 05", "a length is 5 bytes, but 0 bytes are left, at byte 2")]
    [InlineData("9B 7D 08", "the message ends within a varint, at byte 3")]
    [InlineData("9B 7D 08 01", "the message ends within group 2003, at byte 2")]
    [InlineData("9C 7D", "group 2003 ends but never started, at byte 2")]
    [InlineData("9B 7D A4 7D", "group 2003 is closed as group 2004, at byte 4")]
    [InlineData("9F 7D", "field 2003 has the unknown wire type 7, at byte 2")]
    [InlineData("00", "a field has the number 0, at byte 1")]
    [InlineData("FF FF FF FF FF FF FF FF FF FF 01", "a varint is longer than ten bytes, at byte 0")]
    [InlineData("FF FF FF FF 7F", "a field's tag is longer than 32 bits, at byte 0")]
    public void Malformed_text_is_reported_with_its_place(string hexadecimal, string message)
    {
        var wire = Convert.FromHexString(hexadecimal.Replace(" ", "", StringComparison.Ordinal));
        var error = Assert.Throws<EncodingException>(() => Writing.Text(ResponseObservation.Descriptor, wire));
        Assert.Equal(message, error.Message);
        Assert.NotNull(error.Offset);
    }

    [Fact]
    public void Groups_are_nested_so_deep_and_no_deeper()
    {
        static byte[] Nested(int depth) =>
            [.. Enumerable.Repeat<byte[]>([0x9B, 0x7D], depth).SelectMany(tag => tag),
                .. Enumerable.Repeat<byte[]>([0x9C, 0x7D], depth).SelectMany(tag => tag)];
        Assert.Equal("{}", Writing.Text(Point.Descriptor, Nested(100)));
        Assert.Throws<EncodingException>(() => Writing.Text(Point.Descriptor, Nested(101)));
        Assert.Throws<EncodingException>(() => Writing.Text(Point.Descriptor, Nested(100_000)));
    }

    [Fact]
    public void Messages_are_nested_so_deep_and_no_deeper()
    {
        static byte[] Nested(int depth)
        {
            // The only message of the contracts that contains itself.
            var transport = new UnitInfo();
            for (; depth > 0; depth--)
            {
                transport = new UnitInfo { AddOn = transport };
            }

            return transport.ToByteArray();
        }

        // The library reads this depth, and refuses more.
        Writing.AssertSame(UnitInfo.Descriptor, Nested(99), Writing.Text(UnitInfo.Descriptor, Nested(99)));
        Assert.Equal(99, Writing.Text(UnitInfo.Descriptor, Nested(99)).Split("addOn").Length - 1);
        Assert.Throws<EncodingException>(() => Writing.Text(UnitInfo.Descriptor, Nested(101)));
        Assert.Throws<EncodingException>(() => Writing.Text(UnitInfo.Descriptor, Nested(5_000)));
    }

    [Fact]
    public void Damaged_observations_raise_the_documented_error_or_mean_what_the_library_reads()
    {
        var random = new Random(17);
        var seeds = Enumerable.Range(0, 20)
            .Select(seed => new RandomMessages(seed).Make(ResponseObservation.Descriptor).ToByteArray()).ToArray();
        for (var round = 0; round < 20_000; round++)
        {
            AssertSurvives(Damage.Some(seeds[random.Next(seeds.Length)], random));
        }
    }

    [Fact]
    [Trait("ThirdParty", "real messages")]
    [Trait("Needs", "real")]
    public void Every_real_message_has_the_text_that_the_library_reads_back()
    {
        foreach (var (ending, type) in new[]
        {
            ("observation.pb", ResponseObservation.Descriptor),
            ("game_info.pb", Response.Descriptor),
            ("data.pb", Response.Descriptor),
        })
        {
            foreach (var wire in SharedFolder.RealMessages(ending))
            {
                Writing.AssertSame(type, wire, Writing.Text(type, wire));
            }
        }
    }

    [Fact]
    [Trait("ThirdParty", "real messages")]
    [Trait("Needs", "real")]
    public void Damaged_real_observations_raise_the_documented_error_or_mean_what_the_library_reads()
    {
        var random = new Random(4);
        var real = SharedFolder.RealMessages("observation.pb");
        for (var round = 0; round < 300; round++)
        {
            AssertSurvives(Damage.Some(real[random.Next(real.Count)], random));
        }
    }

    private static void AssertSurvives(byte[] wire)
    {
        string text;
        try
        {
            text = Writing.Text(ResponseObservation.Descriptor, wire);
        }
        catch (EncodingException refused)
        {
            // The library cuts a tag that is too long to 32 bits.
            Assert.True(
                refused.Message.Contains("longer than 32 bits", StringComparison.Ordinal)
                    || Refusal(wire) is not null,
                $"{refused.Message}: {Convert.ToHexString(wire)}");
            return;
        }

        if (Refusal(wire) is { InnerException: DecoderFallbackException })
        {
            Assert.Contains('\uFFFD', text);
            return;
        }

        Writing.AssertSame(ResponseObservation.Descriptor, wire, text);
    }

    private static InvalidProtocolBufferException? Refusal(byte[] wire)
    {
        try
        {
            ResponseObservation.Parser.ParseFrom(wire);
            return null;
        }
        catch (InvalidProtocolBufferException refused)
        {
            return refused;
        }
    }

    private static byte[] Chat(ReadOnlySpan<byte> message) => [0x12, (byte)message.Length, .. message];

    private static string Text(IMessage message) => Writing.Text(message.Descriptor, message.ToByteArray());
}
