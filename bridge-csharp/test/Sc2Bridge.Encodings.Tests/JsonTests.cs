using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Tests;

public sealed class JsonTests
{
    private static readonly FrameHeader Header = new("match-1", 0, 7, 9, 1, 2);

    private static string Encode(byte[] observation)
    {
        var frame = ObservationFrame.Copy(observation, Header);
        try
        {
            using var text = frame.Encoded(new TextEncoding(PartSet.None, IsColumns: false, IsEvent: true));
            return Encoding.UTF8.GetString(text.Span);
        }
        finally
        {
            frame.Release();
        }
    }

    [Fact]
    public void A_frames_text_is_the_event_of_its_bytes()
    {
        var observation = new ResponseObservation
        {
            Chat = { new ChatReceived { PlayerId = 1, Message = "gl hf „𝄞“ \u2028 " + new string('é', 5000) + "𝄞" } },
            Observation = new Observation { GameLoop = 9, Alerts = { Alert.NuclearLaunchDetected } },
        };
        var parsed = JsonParser.Default.Parse<V1.PlayResponse>(Encode(observation.ToByteArray()));
        Assert.Equal(observation, parsed.Frame.Observation);
        Assert.Equal("match-1", parsed.Frame.MatchId);
        Assert.Equal(7ul, parsed.Frame.Step);
    }

    [Fact]
    public void Numbers_that_the_games_enums_do_not_know_are_left_out()
    {
        var observation = new ResponseObservation
        {
            Observation = new Observation
            {
                Alerts = { (Alert)999, Alert.NydusWormDetected, (Alert)998 },
                RawData = new ObservationRaw
                {
                    Units = { new Unit { Tag = 5, Alliance = (Alliance)77, DisplayType = DisplayType.Visible } },
                },
            },
        };
        var text = Encode(observation.ToByteArray());
        Assert.DoesNotContain("99", text, StringComparison.Ordinal);
        Assert.DoesNotContain("77", text, StringComparison.Ordinal);
        Assert.Contains("NydusWormDetected", text, StringComparison.Ordinal);
        Assert.Contains("Visible", text, StringComparison.Ordinal);
        Assert.Equal(3, observation.Observation.Alerts.Count);
    }

    [Fact]
    public void An_invalid_observation_is_one_documented_error()
    {
        var error = Assert.Throws<EncodingException>(() => Encode([0xFF, 0xFF, 0xFF]));
        Assert.Contains("step 7", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_agents_text_is_read()
    {
        var message = JsonReader.ReadPlayRequest("""{"subscribe": {"agent": "a", "policy": "POLICY_LATEST"}}"""u8);
        Assert.Equal(Policy.Latest, message.Subscribe.Policy);
        Assert.Equal("a", message.Subscribe.Agent);
    }

    [Theory]
    [InlineData("", "PlayRequest")]
    [InlineData("{\"subscribe\": {\"agnet\": 1}}", "agnet")]
    [InlineData("{\"acknowledge\": {\"step\": \"x\"}}", "x")]
    [InlineData("[]", "PlayRequest")]
    [InlineData("null", "PlayRequest")]
    public void An_agents_mistake_is_named(string text, string named)
    {
        var error = Assert.Throws<EncodingException>(() => JsonReader.ReadPlayRequest(Encoding.UTF8.GetBytes(text)));
        Assert.Contains(named, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Deep_nesting_and_bad_UTF8_are_refused()
    {
        var deep = string.Concat(Enumerable.Repeat("{\"callGame\":", 100_000));
        Assert.Throws<EncodingException>(() => JsonReader.ReadPlayRequest(Encoding.UTF8.GetBytes(deep)));
        var list = "{\"unknown\": " + new string('[', 100_000);
        Assert.Throws<EncodingException>(() => JsonReader.ReadPlayRequest(Encoding.UTF8.GetBytes(list)));
        Assert.Throws<EncodingException>(() => JsonReader.ReadPlayRequest([0x7B, 0xC3, 0x28]));
    }

    [Fact]
    public void Arbitrary_texts_raise_the_documented_error_only() =>
        Prop.ForAll(ArbMap.Default.ArbFor<string?>(), text => Survives(Encoding.UTF8.GetBytes(text ?? "")))
            .QuickCheckThrowOnFailure();

    [Fact]
    public void Values_of_the_wrong_kind_and_huge_numbers_raise_the_documented_error_only()
    {
        string[] names =
        [
            "subscribe", "acknowledge", "clock", "describe", "request", "callGame", "requestId", "actions", "matchId", "perspective", "policy",
            "exclude", "queueBytes", "step", "times", "receivedNs", "tag", "query", "pathing", "startPos", "x",
            "debug", "replayData", "startReplay", "abilities", "unitTag", "agentNs", "withoutData", "chat", "actionRaw",
        ];
        string[] values =
        [
            "null", "true", "1e999", "-1e999", "1e308", "99999999999999999999", "-1", "0.5", "1e2", "2147483648",
            "\"1e999\"", "\"NaN\"", "\"\"", "\"\\ud800\"", "\"\\udc00x\"", "\"AAE\"", "\"POLICY_NONE\"",
            "[]", "[null]", "[[1]]", "{}",
        ];
        var random = new Random(8);
        string Value(int depth) => depth == 0 || random.Next(3) == 0
            ? values[random.Next(values.Length)]
            : random.Next(4) == 0
                ? $"[{Value(depth - 1)},{Value(depth - 1)}]"
                : $"{{\"{names[random.Next(names.Length)]}\":{Value(depth - 1)}}}";
        for (var round = 0; round < 50_000; round++)
        {
            // Valid names, so that the values are read too.
            var form = random.Next(4) switch
            {
                0 => """{"subscribe":{"NAME":VALUE}}""",
                1 => """{"acknowledge":{"step":1,"times":[{"step":VALUE,"receivedNs":VALUE}]}}""",
                2 => """{"callGame":{"request":{"query":{"pathing":[{"startPos":{"x":VALUE}}]}}}}""",
                _ => "VALUE",
            };
            var name = names[random.Next(names.Length)];
            var text = form.Replace("NAME", name, StringComparison.Ordinal);
            Survives(Encoding.UTF8.GetBytes(text.Replace("VALUE", Value(3), StringComparison.Ordinal)));
        }
    }

    [Fact]
    public void Damaged_messages_raise_the_documented_error_only()
    {
        byte[][] seeds =
        [
            """{"subscribe":{"matchId":"m","perspective":1,"policy":"POLICY_EVERY","exclude":["PART_RAW"],"queueBytes":"5"}}"""u8.ToArray(),
            """{"acknowledge":{"step":"3","times":[{"step":"3","receivedNs":"17","thinkNs":"-1","clock":1}]}}"""u8.ToArray(),
            """{"requestId":1,"callGame":{"request":{"query":{"pathing":[{"startPos":{"x":1.5e3,"y":-0}}]},"mapCommand":null}}}"""u8.ToArray(),
            """{"callGame":{"request":{"startReplay":{"replayData":"AAEC","options":{"raw":true}}}}}"""u8.ToArray(),
        ];
        const string Interesting = "{}[]\":,\\u0-+.eE9tfn \u0000\u00ff=/AZ";
        var random = new Random(3);
        for (var round = 0; round < 20_000; round++)
        {
            var text = seeds[random.Next(seeds.Length)].ToList();
            for (var change = random.Next(1, 5); change > 0; change--)
            {
                var at = random.Next(text.Count);
                var one = (byte)Interesting[random.Next(Interesting.Length)];
                switch (random.Next(4))
                {
                    case 0:
                        text[at] = one;
                        break;
                    case 1:
                        text.Insert(at, one);
                        break;
                    case 2 when text.Count > 1:
                        text.RemoveAt(at);
                        break;
                    default:
                        text.InsertRange(at, text.GetRange(at, Math.Min(text.Count - at, random.Next(20))));
                        break;
                }
            }

            Survives([.. text]);
        }
    }

    private static bool Survives(byte[] text)
    {
        try
        {
            JsonReader.ReadPlayRequest(text);
        }
        catch (EncodingException)
        {
            // The only documented error.
        }

        return true;
    }
}
