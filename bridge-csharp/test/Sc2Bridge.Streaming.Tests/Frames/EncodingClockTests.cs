using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>The time to encode a frame's other forms is counted once, and only if something measures it.</summary>
public sealed class EncodingClockTests
{
    [Fact]
    public void A_form_that_is_made_of_another_is_counted_once_for_all_who_ask()
    {
        var clock = new EncodingClock();
        var frame = ObservationFrame.Copy([1, 2, 3], default(FrameHeader) with { MatchId = "" });
        frame.Clock = clock;
        var before = MonotonicClock.NowNs;
        frame.Encoded(new Twice(new Slow()));
        var passed = MonotonicClock.NowNs - before;
        var counted = clock.ElapsedNs;
        Assert.InRange(counted, Slow.Ns, passed);

        frame.Encoded(new Slow());
        frame.Encoded(new Twice(new Slow()));
        Assert.Equal(counted, clock.ElapsedNs);
        frame.Release();
    }

    [Fact]
    public void Each_failure_is_counted()
    {
        var clock = new EncodingClock();
        var frame = ObservationFrame.Copy([], default(FrameHeader) with { MatchId = "" });
        frame.Clock = clock;
        Assert.Throws<InvalidOperationException>(() => frame.Encoded(new Failing()));
        var failed = clock.ElapsedNs;
        frame.Encoded(new Slow());
        Assert.True(clock.ElapsedNs >= failed + Slow.Ns);
        frame.Release();
    }

    [Fact]
    public void Without_a_clock_nothing_is_counted()
    {
        var frame = ObservationFrame.Copy([], default(FrameHeader) with { MatchId = "" });
        frame.Encoded(new Slow());
        Assert.Null(frame.Clock);
        frame.Release();
    }

    private sealed record Slow : IFrameEncoding<MessageBuffer>
    {
        public const long Ns = 100_000;

        public MessageBuffer Encode(ObservationFrame frame)
        {
            for (var end = MonotonicClock.NowNs + Ns; MonotonicClock.NowNs < end;)
            {
                Thread.SpinWait(1);
            }

            return MessageBuffer.Rent();
        }
    }

    private sealed record Twice(IFrameEncoding<MessageBuffer> Inner) : IFrameEncoding<MessageBuffer>
    {
        public MessageBuffer Encode(ObservationFrame frame)
        {
            frame.Encoded(Inner);
            return MessageBuffer.Rent();
        }
    }

    private sealed record Failing : IFrameEncoding<MessageBuffer>
    {
        public MessageBuffer Encode(ObservationFrame frame) => throw new InvalidOperationException("no");
    }
}
