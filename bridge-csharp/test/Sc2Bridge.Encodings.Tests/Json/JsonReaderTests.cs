using System.Text;

namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>What the JSON reader accepts and refuses, and its errors.</summary>
public sealed class JsonReaderTests
{
    [Theory]
    [InlineData("""{"gameLoop": 7}""")]
    [InlineData("""{"game_loop": 7}""")]
    [InlineData("""{"game\u004coop": 7}""")]
    [InlineData("""{"gameLoop": "7"}""")]
    [InlineData("""{"gameLoop": "\u0037"}""")]
    [InlineData("""{"gameLoop": 7.0}""")]
    [InlineData("""{"gameLoop": 0.07e2}""")]
    [InlineData("""{"gameLoop": 70e-1}""")]
    [InlineData("""{"gameLoop": "7E+0"}""")]
    [InlineData("""{"gameLoop": 7.000000000000000000000000000000}""")]
    [InlineData("""{"gameLoop": 700000000000000000000000000000e-29}""")]
    [InlineData(" \r\n\t{ \"gameLoop\" : 7 ,\n \"abilities\": null, \"score\": null } \n")]
    public void A_name_and_a_number_have_many_forms(string text) =>
        Assert.Equal(new Observation { GameLoop = 7 }, Reading.Parse<Observation>(text));

    [Theory]
    [InlineData("0", 0)]
    [InlineData("-0", 0)]
    [InlineData("0.0e99999999999999999999", 0)]
    [InlineData("9223372036854775807", long.MaxValue)]
    [InlineData("-9223372036854775808", long.MinValue)]
    [InlineData("\"-9223372036854775808\"", long.MinValue)]
    [InlineData("9007199254740993", 9007199254740993)]
    [InlineData("922337203685477580.7e1", long.MaxValue)]
    [InlineData("1e18", 1000000000000000000)]
    public void Numbers_of_64_bits_are_read_exactly(string number, long expected) =>
        Assert.Equal(expected, Reading.Parse<V1.Frame>($$"""{"requestedNs": {{number}}}""").RequestedNs);

    [Theory]
    [InlineData("9223372036854775808")]
    [InlineData("-9223372036854775809")]
    [InlineData("1e19")]
    [InlineData("1e-1")]
    [InlineData("0.5")]
    [InlineData("1e-400")]
    [InlineData("0.00000000000000000000000000000000000001")]
    [InlineData("100000000000000000000")]
    [InlineData("1e99999999999999999999")]
    [InlineData("\"\"")]
    [InlineData("\" 1\"")]
    [InlineData("\"1 \"")]
    [InlineData("\"+1\"")]
    [InlineData("\"01\"")]
    [InlineData("\".5e1\"")]
    [InlineData("\"5.\"")]
    [InlineData("\"0x1\"")]
    [InlineData("\"NaN\"")]
    [InlineData("true")]
    [InlineData("[1]")]
    [InlineData("{}")]
    public void Invalid_64_bit_integers_are_refused(string number) => Assert.Contains(
        "requestedNs", Reading.Refusal<V1.Frame>($$"""{"requestedNs": {{number}}}"""), StringComparison.Ordinal);

    [Theory]
    [InlineData("18446744073709551615", ulong.MaxValue)]
    [InlineData("\"18446744073709551615\"", ulong.MaxValue)]
    [InlineData("1844674407370955161.5e1", ulong.MaxValue)]
    public void Tags_take_all_64_bits(string number, ulong expected)
    {
        Assert.Equal(expected, Reading.Parse<SC2APIProtocol.Unit>($$"""{"tag": {{number}}}""").Tag);
        Reading.Refusal<SC2APIProtocol.Unit>("""{"tag": 18446744073709551616}""");
        Reading.Refusal<SC2APIProtocol.Unit>("""{"tag": -1}""");
    }

    [Theory]
    [InlineData("1.5", 1.5f)]
    [InlineData("\"1.5\"", 1.5f)]
    [InlineData("-0", -0f)]
    [InlineData("1e-50", 0f)]
    [InlineData("3.4028235e38", float.MaxValue)]
    [InlineData("1e-45", float.Epsilon)]
    [InlineData("0.1", 0.1f)]
    [InlineData("16777217", 16777216f)]
    [InlineData("16777217.0000001", 16777218f)]
    [InlineData("\"NaN\"", float.NaN)]
    [InlineData("\"Infinity\"", float.PositiveInfinity)]
    [InlineData("\"-Infinity\"", float.NegativeInfinity)]
    public void Floats_are_the_nearest(string number, float expected) => Assert.Equal(
        BitConverter.SingleToInt32Bits(expected),
        BitConverter.SingleToInt32Bits(Reading.Parse<Point2D>($$"""{"x": {{number}}}""").X));

    [Theory]
    [InlineData("3.5e38")]
    [InlineData("1e999")]
    [InlineData("\"inf\"")]
    [InlineData("\"nan\"")]
    [InlineData("\"1,5\"")]
    [InlineData("false")]
    public void Invalid_floats_are_refused(string number) => Assert.Contains(
        "text is not a valid Point2D: x: ", Reading.Refusal<Point2D>($$"""{"x": {{number}}}"""), StringComparison.Ordinal);

    [Theory]
    [InlineData("+/8=", 0xFB, 0xFF)]
    [InlineData("+/8", 0xFB, 0xFF)]
    [InlineData("-_8=", 0xFB, 0xFF)]
    [InlineData("-_8", 0xFB, 0xFF)]
    [InlineData("\\u002b\\/8", 0xFB, 0xFF)]
    [InlineData("")]
    [InlineData("AQID", 1, 2, 3)]
    public void Base64_has_two_alphabets_and_may_be_padded(string text, params int[] expected) => Assert.Equal(
        expected.Select(value => (byte)value),
        Reading.Parse<ImageData>($$"""{"data": "{{text}}"}""").Data.ToByteArray());

    [Theory]
    [InlineData("A")]
    [InlineData("AAAAA")]
    [InlineData("AA=")]
    [InlineData("AAA==")]
    [InlineData("AAAA=")]
    [InlineData("====")]
    [InlineData("A===")]
    [InlineData("A=AA")]
    [InlineData("A A=")]
    [InlineData("AAA\\n")]
    [InlineData("AA*A")]
    [InlineData("AAA%")]
    [InlineData("é")]
    public void Invalid_base64_is_refused(string text) => Assert.Contains(
        "not valid base64", Reading.Refusal<ImageData>($$"""{"data": "{{text}}"}"""), StringComparison.Ordinal);

    [Fact]
    public void Enums_go_by_name_or_number()
    {
        Assert.Equal(Alliance.Enemy, Reading.Parse<SC2APIProtocol.Unit>("""{"alliance": "Enemy"}""").Alliance);
        Assert.Equal(Alliance.Enemy, Reading.Parse<SC2APIProtocol.Unit>("""{"alliance": "\u0045nemy"}""").Alliance);
        Assert.Equal(Alliance.Enemy, Reading.Parse<SC2APIProtocol.Unit>("""{"alliance": 4}""").Alliance);
        Assert.Equal(
            [Alert.NydusWormDetected, Alert.NuclearLaunchDetected],
            Reading.Parse<Observation>("""{"alerts": ["NydusWormDetected", 1]}""").Alerts);
        Assert.Equal(
            "The text is not a valid Unit: alliance: \"enemy\" is not a name of this enum; give Self, Ally, Neutral or Enemy.",
            Reading.Refusal<SC2APIProtocol.Unit>("""{"alliance": "enemy"}"""));
        Reading.Refusal<SC2APIProtocol.Unit>("""{"alliance": "4"}""");
        Reading.Refusal<SC2APIProtocol.Unit>("""{"alliance": 4294967300}""");
        Reading.Refusal<SC2APIProtocol.Unit>("""{"alliance": 1.5}""");
    }

    [Fact]
    public void Null_is_what_is_not_set()
    {
        Assert.Equal(
            new ResponseObservation { Observation = new Observation() },
            Reading.Parse<ResponseObservation>(
                """{"actions": null, "observation": {"rawData": null, "gameLoop": null}, "chat": []}"""));
        Assert.Equal(
            new SC2APIProtocol.Action { ActionChat = new ActionChat() },
            Reading.Parse<SC2APIProtocol.Action>("""{"actionRaw": null, "actionChat": {}}"""));
        Assert.Equal(
            "The text is not a valid Observation: alerts[1]: null is neither a name nor a number; give "
            + "AlertError, AddOnComplete, BuildingComplete, BuildingUnderAttack, LarvaHatched, MergeComplete, "
            + "MineralsExhausted, MorphComplete, MothershipComplete, MULEExpired, NuclearLaunchDetected, "
            + "NukeComplete ….",
            Reading.Refusal<Observation>("""{"alerts": [1, null]}"""));
    }

    [Fact]
    public void A_packed_list_without_items_leaves_no_trace() =>
        Assert.Empty(Reading.Wire(MatchDescription.Descriptor, """{"perspectives": [], "players": []}"""u8));

    [Theory]
    [InlineData("""{"subscribe": {"agnet": 1}}""", "subscribe.agnet: SubscribeRequest has no such field; it has matchId, ")]
    [InlineData("""{"callGame": {"agent": "a"}}""", "callGame.agent: CallGameRequest has no such field; it has matchId, ")]
    [InlineData("""{"subscribe": {"agent": 1}}""", "subscribe.agent: 1 is not a string; give a string")]
    [InlineData("""{"subscribe": {"agent": "a", "agent": "b"}}""", "subscribe.agent: agent is set twice; give it")]
    [InlineData("""{"subscribe": {"queueBytes": 1, "queue_bytes": 1}}""", "subscribe.queue_bytes: queueBytes is set twice")]
    [InlineData("""{"subscribe": {"agent": null, "agent": null}}""", "subscribe.agent: agent is set twice")]
    [InlineData("""{"subscribe": {}, "clock": {}}""", "clock: subscribe is set too; give one field of the oneof ")]
    [InlineData("""{"subscribe": [{}]}""", "subscribe: a list is not an object; give a SubscribeRequest")]
    [InlineData("""{"subscribe": {"exclude": {"a": 1}}}""", "subscribe.exclude: an object is not a list; give a list")]
    [InlineData(
        """{"subscribe": {"exclude": ["PART_RAW", "RAW"]}}""",
        "subscribe.exclude[1]: \"RAW\" is not a name of this enum")]
    [InlineData(
        """{"acknowledge": {"times": [{}, {"step": "x"}]}}""",
        "acknowledge.times[1].step: \"x\" is not valid here; give a whole number from 0 to 18446744073709551615.")]
    [InlineData("""{"describe": {"withoutData": "true"}}""", "describe.withoutData: \"true\" is not a boolean; give true or")]
    [InlineData("""{"describe": {"matchId": "\ud800"}}""", "describe.matchId: \"\\ud800\" has half a surrogate pair")]
    [InlineData("""{"describe": {"matchId": "\udc00\ud800"}}""", "matchId: \"\\udc00\\ud800\" has half a surrogate pair")]
    [InlineData("""{"descr\ud800ibe": {}}""", "has half a surrogate pair")]
    [InlineData("""{"describe": {}} {}""", "it is not JSON")]
    [InlineData("""{"describe": {},}""", "it is not JSON")]
    [InlineData("""{"describe": /* */ {}}""", "describe: it is not JSON")]
    [InlineData("""{"describe": {"matchId": "a}""", "describe.matchId: it is not JSON")]
    [InlineData("""{"describe": {"matchId": 01}}""", "describe.matchId: it is not JSON")]
    [InlineData("{'describe': {}}", "it is not JSON")]
    [InlineData("\ufeff{}", "it is not JSON")]
    [InlineData("""{"describe":""", "describe: it is not JSON")]
    [InlineData("", "it is not JSON")]
    [InlineData("7", "7 is not an object; give an object")]
    public void A_mistake_is_named_with_its_place_and_what_may_stand_there(string text, string named)
    {
        var message = Reading.Refusal<PlayRequest>(text);
        Assert.StartsWith("The text is not a valid PlayRequest: ", message, StringComparison.Ordinal);
        Assert.Contains(named, message, StringComparison.Ordinal);
        Assert.DoesNotContain("\n", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData('t')]
    [InlineData('f')]
    [InlineData('n')]
    public void A_text_that_lost_its_quotation_mark_is_not_repeated(char instead)
    {
        var message = Reading.Refusal<PlayRequest>("""{"subscribe": {"agent": ?a1b7856f"}}""".Replace('?', instead));
        Assert.Contains(
            "subscribe.agent: it is not JSON: a value is an invalid JSON literal", message, StringComparison.Ordinal);
        Assert.DoesNotContain("a1b7", message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_path_leads_into_a_frame()
    {
        const string Frame = """
            {"frame": {"observation": {"observation": {"rawData": {"units": [
              {"tag": 1}, {"tag": 2}, {"buffIds": [1, 2]}, {"pos": {"y": 1, "x": "west"}}]}}}}}
            """;
        Assert.Equal(
            "The text is not a valid PlayResponse: frame.observation.observation.rawData.units[3].pos.x: \"west\" is not a float; "
            + "give a number in the range of float, or \"NaN\", \"Infinity\" or \"-Infinity\".",
            Reading.Refusal<V1.PlayResponse>(Frame));
    }

    [Fact]
    public void Quotations_stay_short()
    {
        var many = string.Concat(Enumerable.Repeat("𝄞", 100_000));
        Assert.InRange(Reading.Refusal<PlayRequest>($"{{\"{many}\": 1}}").Length, 50, 300);
        Assert.InRange(Reading.Refusal<ImageData>($$"""{"data": "{{many}}"}""").Length, 50, 300);
    }

    [Fact]
    public void Invalid_UTF8_is_refused_wherever_it_stands()
    {
        byte[] text = [.. "{\"describe\": {\"matchId\": \""u8, 0xC3, 0x28, .. "\"}}"u8];
        var error = Assert.Throws<EncodingException>(() => JsonReader.ReadPlayRequest(text));
        Assert.Equal("The text is not a valid PlayRequest: it is not UTF-8 at byte 26.", error.Message);
    }

    [Fact]
    public void Depth_and_length_are_bounded()
    {
        static string Nested(int depth) => string.Concat(Enumerable.Repeat("{\"addOn\": ", depth - 1)) + "{}"
            + new string('}', depth - 1);
        Reading.Parse<UnitInfo>(Nested(JsonReader.DeepestNesting));
        var deeper = Nested(JsonReader.DeepestNesting + 1);
        Assert.Contains("depth", Reading.Refusal<UnitInfo>(deeper), StringComparison.Ordinal);
        var deep = "{\"subscribe\": " + new string('[', 1_000_000);
        Assert.Contains("subscribe: a list is no", Reading.Refusal<PlayRequest>(deep), StringComparison.Ordinal);

        var output = MessageBuffer.Rent();
        var error = Assert.Throws<EncodingException>(
            () => JsonReader.Read("""{"x": 1}"""u8, Point2D.Descriptor, output, longest: 7));
        Assert.Equal("The text is not a valid Point2D: it has 8 bytes, and the maximum is 7.", error.Message);
        JsonReader.Read("""{"x": 1}"""u8, Point2D.Descriptor, output, longest: 8);
        Assert.Equal(5, output.Length);
        var failing = "{\"data\": \"" + new string('A', 8000) + "\", \"size\": 1}";
        Assert.Throws<EncodingException>(
            () => JsonReader.Read(Encoding.UTF8.GetBytes(failing), ImageData.Descriptor, output));
        Assert.Equal(5, output.Length);
        output.Release();
    }

    [Fact]
    public void A_text_is_appended_to_what_a_buffer_holds_and_makes_it_grow()
    {
        var chat = new ResponseObservation
        {
            Chat = { Enumerable.Range(0, 3).Select(i => new ChatReceived { Message = new string('é', 7000 * i) }) },
        };
        var output = MessageBuffer.Rent();
        output.GetSpan(1)[0] = 42;
        output.Advance(1);
        JsonReader.Read(
            Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(chat)), ResponseObservation.Descriptor, output);
        Assert.Equal(42, output.Written.Span[0]);
        Assert.Equal(chat, ResponseObservation.Parser.ParseFrom(output.Written.Span[1..]));
        output.Release();
    }

    [Fact]
    public void Nothing_is_allocated_on_the_way_to_the_wire()
    {
        const string Escaped = """
            {"frame": {"matchId": "\u006d", "step": "7", "observation": {"observation": {"gameLoop": 1e1, "rawData": {
              "mapState": {"visibility": {"data": "\u002b\/8"}}, "units": [{"tag": "1", "facing": "NaN",
                "pos": {"x": 1.23456789, "y": 1e-9}, "displayType": "\u0056isible", "alliance": 4}]}}}}}
            """;
        var text = Encoding.UTF8.GetBytes(Escaped);
        Assert.Equal(0, Allocated());
        Assert.Equal(0, Allocated());

        // The first call creates the tables.
        long Allocated()
        {
            var before = 0L;
            for (var i = 0; i < 2; i++)
            {
                var output = MessageBuffer.Rent();
                before = GC.GetAllocatedBytesForCurrentThread();
                JsonReader.Read(text, V1.PlayResponse.Descriptor, output);
                before = GC.GetAllocatedBytesForCurrentThread() - before;
                output.Release();
            }

            return before;
        }
    }
}
