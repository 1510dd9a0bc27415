using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Where sender and agent begin and end to count.</summary>
public sealed class CountingTests
{
    [Fact]
    public async Task The_sender_is_sampled_when_a_frame_is_due_and_all_before_it_are_sent()
    {
        List<string> log = [];
        await using var played = new Played(log);
        await using var match = new MeasuredSource(played, played, new SendOrder("", null, 0, 1, 0, 0), () =>
        {
            log.Add("sampled");
            return new ProcessSample(log.Count, 0, 0, 0);
        });
        await YardstickSender.PlayAsync(
            match,
            _ =>
            {
                log.Add("sent");
                return Task.CompletedTask;
            },
            Ct);
        Assert.Equal(["due", "sent", "due", "sampled", "sent", "due", "sampled"], log);
        Assert.Equal(1, match.Result().Steps);
    }

    [Fact]
    public void The_agent_counts_from_its_first_frame_to_its_last_and_not_to_the_matchs_end()
    {
        var meter = new ReceiverMeter();
        var order = new ReceiveOrder("", "proto", "none", "observation", "every", 1, Parse: true, 0, 1e9);
        var received = new ReceivedFrames(order, meter);
        Assert.Equal((0, 0), (meter.Seconds, meter.CpuSeconds));
        var begin = MonotonicClock.NowNs;
        Assert.True(Take(new PlayResponse { Frame = new V1.Frame { Step = 4, ObservedNs = begin } }));
        Assert.True(Take(new PlayResponse { Frame = new V1.Frame { Step = 6, ObservedNs = begin + 1000 } }));
        Assert.False(Take(new PlayResponse { MatchEnd = new MatchEnd() }));
        Assert.Equal(1, received.Lost);
        Assert.Equal((received.ParsedUs[1] + 1 - received.ParsedUs[0]) / 1e6, meter.Seconds, 9);
        Assert.True(meter.CpuSeconds >= 0);

        bool Take(PlayResponse message) => received.Take(new ReadOnlySequence<byte>(message.ToByteArray()));
    }

    [Fact]
    public async Task Steps_missing_in_the_recording_are_not_lost_and_frames_that_never_arrive_are()
    {
        // 22 observations, and a gap of 8 steps; received once and a half.
        const int Sent = 35;
        var recording = Path.Combine(RepositoryFolder.Root!, "recordings", "gap.mcap");
        await using var recorded = RecordedSource.Open(recording, new PlaybackOptions { Repeats = true });
        await using var match = new MeasuredSource(
            recorded, recorded, new SendOrder(recording, null, 0, 1, 0, 1e9), () => ProcessSample.Take([]));
        var order = new ReceiveOrder("", "proto", "none", "observation", "every", 1, Parse: true, 0, 1e9);
        ReceivedFrames all = new(order, new ReceiverMeter()), some = new(order, new ReceiverMeter());
        List<uint> loops = [];
        for (var sent = 0; sent < Sent; sent++)
        {
            var frame = (await match.NextAsync(Ct))!;
            Assert.Equal((sent, null), ((int)frame.Header.Step, frame.Jump));
            loops.Add(PlayResponse.Parser.ParseFrom(frame.EventMessage.Span).Frame.GameLoop);
            all.Take(new ReadOnlySequence<byte>(frame.EventMessage));
            if (sent is not (7 or 20))
            {
                some.Take(new ReadOnlySequence<byte>(frame.EventMessage));
            }

            frame.Release();
        }

        Assert.Equal((Sent, 0), (all.HeldUs.Count, all.Lost));
        Assert.Equal((Sent - 2, 2), (some.HeldUs.Count, some.Lost));
        Assert.Equal([9u, 18u], loops[9..11]);
        Assert.Equal(loops[..13], loops[22..]);
    }

    // A match without an end, always due.
    private sealed class Played(List<string> log) : IGameSource, IPace
    {
        private ulong _step;

        public MatchDescription Description { get; } = new() { MatchId = "a match", Perspectives = { 1 } };

        public MatchEnd? End => null;

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask WaitAsync(long? lastRequestedNs, CancellationToken cancellationToken)
        {
            log.Add("due");
            return ValueTask.CompletedTask;
        }

        public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
        {
            var now = MonotonicClock.NowNs;
            return new(ObservationFrame.Copy([], new FrameHeader("a match", 1, _step++, 0, now, now)));
        }

        public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
            throw new NotSupportedException();

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
