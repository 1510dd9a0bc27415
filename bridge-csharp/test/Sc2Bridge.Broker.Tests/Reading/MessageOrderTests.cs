using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Broker.Reading;

namespace Sc2Bridge.Broker.Tests.Reading;

public sealed class MessageOrderTests
{
    private const int GroupSize = 8;

    [Fact]
    public void Whatever_a_publisher_sends_again_each_message_is_taken_once_and_in_order() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(500)), Prop.ForAll((int seed) =>
        {
            var random = new Random(seed);
            var stream = Published(random, 200);
            var begin = random.Next(stream.Count);
            var order = new MessageOrder();
            var taken = new List<long>();
            for (var at = begin; at < stream.Count; at++)
            {
                var turn = order.Judge(stream[at]);
                Assert.NotEqual(MessageVerdict.DeliverAfterLoss, turn);
                if (turn == MessageVerdict.Deliver)
                {
                    taken.Add(stream[at].Sequence);
                }

                if (random.Next(30) == 0)
                {
                    // The connection broke. The broker sends the rest of a chunk again.
                    at = Math.Max(begin, at - random.Next(5));
                }
            }

            Assert.Equal(Enumerable.Range((int)taken.FirstOrDefault(), taken.Count), taken.Select(one => (int)one));
            Assert.True(taken.Count == 0 || taken[0] % GroupSize == 0);

            // No message after the first head is missing.
            Assert.True(taken.Count == 0 || taken[^1] == 199);
            Assert.True(begin > 0 || taken.Count == 200);
        }));

    [Fact]
    public void If_the_broker_drops_messages_the_loss_is_reported_with_the_next_head()
    {
        var order = new MessageOrder();
        Assert.Equal(MessageVerdict.Deliver, order.Judge(Message(0, 0)));
        Assert.Equal(MessageVerdict.Deliver, order.Judge(Message(1, 1)));
        Assert.Equal(MessageVerdict.Skip, order.Judge(Message(12, 12)));
        Assert.Equal(MessageVerdict.Skip, order.Judge(Message(13, 13)));
        Assert.Equal(MessageVerdict.DeliverAfterLoss, order.Judge(Message(16, 16)));
        Assert.Equal(MessageVerdict.Deliver, order.Judge(Message(17, 17)));
    }

    [Fact]
    public void A_message_that_never_comes_is_waited_for_a_while_and_then_lost()
    {
        var order = new MessageOrder();
        Assert.Equal(MessageVerdict.Deliver, order.Judge(Message(0, 0)));
        var next = 1;
        while (order.Judge(Message(next, next + 1)) == MessageVerdict.Skip)
        {
            next++;
        }

        Assert.InRange(next, MessageOrder.MaxOutOfOrder, MessageOrder.MaxOutOfOrder + GroupSize + 1);
    }

    // Messages as after a publisher that goes back in its window, and a broker that loses unconfirmed messages.
    private static List<StreamMessage> Published(Random random, int count)
    {
        var stream = new List<StreamMessage>();
        var confirmed = 0;
        for (var next = 0; next < count || confirmed < count;)
        {
            if (next < count && random.Next(12) > 0)
            {
                if (next == confirmed && random.Next(2) == 0)
                {
                    confirmed++;
                    stream.Add(Message(stream.Count, next));
                }
                else if (random.Next(4) > 0)
                {
                    // The message was stored without the publisher's knowledge, or it was lost.
                    stream.Add(Message(stream.Count, next));
                }

                next++;
            }
            else
            {
                next = confirmed;
                for (; next < count && random.Next(6) > 0; next++, confirmed++)
                {
                    stream.Add(Message(stream.Count, next));
                }
            }
        }

        return stream;
    }

    private static StreamMessage Message(long offset, long sequence) =>
        new(MessageKind.Frame, sequence, default) { Offset = offset, IsHead = sequence % GroupSize == 0 };
}
