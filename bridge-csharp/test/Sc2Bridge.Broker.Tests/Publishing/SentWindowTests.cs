using Sc2Bridge.Broker.Publishing;

namespace Sc2Bridge.Broker.Tests.Publishing;

public sealed class SentWindowTests
{
    private readonly List<long> _confirmed = [];

    [Fact]
    public void Messages_confirmed_out_of_order_are_sent_again_after_unconfirmed_ones()
    {
        var window = new SentWindow(sent => _confirmed.Add(sent.Message.Sequence));
        for (var sequence = 0; sequence < 6; sequence++)
        {
            window.Add(new Outgoing(0, new StreamMessage(MessageKind.Frame, sequence, default)));
        }

        window.Confirm(0, 1, isMultiple: false);
        window.Confirm(0, 4, isMultiple: false);
        Assert.Equal([0, 3], _confirmed);
        Assert.Equal(4, window.Unconfirmed);
        Assert.Equal([1, 2, 3, 4, 5], window.StartChannel().Messages.Select(sent => sent.Message.Sequence));

        // Another channel counts from 1. Each confirmation is reported once.
        window.Confirm(0, 5, isMultiple: true); // A late confirmation of the previous channel.
        window.Confirm(1, 4, isMultiple: true);
        Assert.Equal([0, 3, 1, 2, 4], _confirmed);
        Assert.Equal([5], window.StartChannel().Messages.Select(sent => sent.Message.Sequence));
        window.Confirm(2, 1, isMultiple: true);
        Assert.Null(window.OldestMs);
    }

    [Fact]
    public void It_is_bounded()
    {
        var window = new SentWindow(static _ => { });
        var count = 0;
        for (; window.HasRoom; count++)
        {
            window.Add(new Outgoing(0, new StreamMessage(MessageKind.Frame, count, new byte[100_000])));
        }

        Assert.InRange(count, 80, 90);
    }
}
