using System.Globalization;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using RabbitMQ.Client;
using Sc2Bridge.Broker.Reading;
using Google.Protobuf;

namespace Sc2Bridge.Broker.Tests;

/// <summary>Messages from a broker are untrusted bytes.</summary>
public sealed class StreamMessageTests
{
    private static readonly StreamMessage _frame = new(MessageKind.Frame, 7, new byte[] { 1, 2, 3 })
    {
        Step = 5,
        GameLoop = 1L << 40,
        Group = 9,
        IsHead = true,
        TimeMs = 1_700_000_000_000,
    };

    [Fact]
    public void A_message_is_read_as_it_was_published()
    {
        var properties = _frame.ToProperties();
        properties.Headers!["x-stream-offset"] = 4L;
        Assert.Equal(_frame with { Offset = 4 }, StreamMessage.FromDelivery(properties, _frame.Body));
    }

    [Fact]
    public void A_message_comes_out_of_the_spool_as_it_went_in()
    {
        var (stream, read) = StreamMessage.FromRecord(_frame.ToRecord(3));
        Assert.Equal((3, "010203"), (stream, Convert.ToHexString(read.Body.Span)));
        Assert.Equal(_frame, read with { Body = _frame.Body });
    }

    [Fact]
    public void Any_properties_are_a_message_or_refused()
    {
        object?[] strange = [null, true, "text", Encoding.UTF8.GetBytes("bytes"), 1.5, 3L, -1L, (byte)1, new List<object?> { 1 }];
        string[] names = ["x-stream-offset", "step", "loop", "group", "head", "time", "steps", "perspective"];
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(2000)), Prop.ForAll((string? id, string? type, int seed) =>
        {
            var random = new Random(seed);
            var headers = names.Where(_ => random.Next(4) > 0)
                .ToDictionary(name => name, _ => strange[random.Next(strange.Length)]);
            try
            {
                var read = StreamMessage.FromDelivery(
                    new BasicProperties
                    {
                        MessageId = random.Next(2) > 0 ? id : seed.ToString(CultureInfo.InvariantCulture),
                        Type = type,
                        Headers = random.Next(9) > 0 ? headers : null,
                    },
                    default);
                Assert.True(read.Offset >= 0 && read.Sequence >= 0);
            }
            catch (BrokerException refused)
            {
                Assert.DoesNotContain('\n', refused.Message);
            }
        }));
    }

    [Fact]
    public void Any_announcement_is_one_or_passed_over()
    {
        var whole = new Announcement { Key = "a-1", Match = new MatchDescription { MapName = "M" }, Tags = { "t" } }.ToByteArray();
        Assert.Equal("a-1", MatchDirectory.Parse(new(MessageKind.Announcement, 0, whole))!.Key);
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(3000)), Prop.ForAll((byte[] any, int seed) =>
        {
            var random = new Random(seed);
            var damaged = whole.ToArray();
            damaged[random.Next(damaged.Length)] ^= (byte)random.Next(1, 256);
            foreach (var body in new[] { any, damaged, damaged[..random.Next(damaged.Length)] })
            {
                Assert.True(MatchDirectory.Parse(new(MessageKind.Announcement, 0, body)) is not { } read || BrokerStreams.IsKey(read.Key));
            }
        }));
    }
}
