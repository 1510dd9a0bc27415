using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Tests.Payloads;

/// <summary>Subscribers share the memory of a frame's common bytes, even if they have fields of their own.</summary>
public sealed class SharedBytesTests
{
    private const int Readers = 64;

    [Theory]
    [InlineData(MessageForm.Proto, Content.Observation)]
    [InlineData(MessageForm.Proto, Content.Columns)]
    [InlineData(MessageForm.Json, Content.Observation)]
    [InlineData(MessageForm.Json, Content.Columns)]
    public async Task Slow_readers_share_the_payload_of_a_frame_that_stands_for_others(MessageForm form, Content content)
    {
        using var match = new CompressedMatch();
        var request = new V1.SubscribeRequest { Policy = Policy.Latest, Content = content };
        var readers = Enumerable.Range(0, Readers).Select(_ => (
            Subscription: match.Hub.Subscribe(request, new SubscriberInfo("test", DeliverInline: false)),
            Messages: FrameMessages.For(request, form, match.Shared))).ToList();
        var observation = Observations.Large();
        for (var step = 0ul; step < 3; step++)
        {
            await match.PublishAsync(step, observation: observation);
        }

        var deliveries = new List<Delivery>();
        foreach (var (subscription, _) in readers)
        {
            deliveries.Add(await subscription.ReadAsync(Ct));
        }

        // The first reader creates the shared bytes.
        var shared = readers[0].Messages.Encode(deliveries[0]);
        var before = GC.GetAllocatedBytesForCurrentThread();
        var messages = readers.Zip(deliveries, (reader, delivery) => reader.Messages.Encode(delivery)).ToList();
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.InRange(allocated, 0, observation.Length);
        Assert.All(messages, message =>
        {
            Assert.InRange(message.Head.Length, 1, 500);
            Assert.True(message.Body.Span.Overlaps(shared.Body.Span));
            Assert.Equal(shared.Body.Length, message.Body.Length);
            var parsed = form == MessageForm.Json
                ? Google.Protobuf.JsonParser.Default.Parse<PlayResponse>(System.Text.Encoding.UTF8.GetString(message.ToArray()))
                : PlayResponse.Parser.ParseFrom(message.ToArray());
            Assert.Equal((2ul, 2ul), (parsed.Frame.Step, parsed.Frame.Skipped.Frames));
        });
        deliveries.ForEach(delivery => delivery.Release());
        readers.ForEach(reader => reader.Messages.Dispose());
        readers.ForEach(reader => reader.Subscription.Dispose());
        match.AssertAllReleased();
    }

    private static class Observations
    {
        public static byte[] Large()
        {
            var observation = new SC2APIProtocol.ResponseObservation { Observation = new() { RawData = new() } };
            for (var unit = 0; unit < 2000; unit++)
            {
                observation.Observation.RawData.Units.Add(
                    new SC2APIProtocol.Unit { Tag = 4_342_153_217ul + (ulong)unit, Health = 45, Pos = new() { X = unit } });
            }

            return Google.Protobuf.MessageExtensions.ToByteArray(observation);
        }
    }
}
