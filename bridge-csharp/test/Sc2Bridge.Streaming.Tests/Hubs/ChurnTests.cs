using System.Diagnostics;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Subscribers that join and leave, many with the same name, while another one receives every frame.</summary>
public sealed class ChurnTests
{
    [Fact]
    public async Task A_lockstep_agent_receives_every_frame_while_two_hundred_come_and_go()
    {
        const ulong Steps = 400;
        using var match = new TestMatch();
        using var steady = match.Subscribe(Policy.Lockstep);
        var hearing = HearAsync(steady, Steps);
        using var over = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var lanes = Enumerable.Range(0, 8);
        var churning = lanes.Select(lane => Task.Run(() => ChurnAsync(match, 25, lane, over.Token))).ToArray();
        for (var step = 0ul; step < Steps; step++)
        {
            await match.PublishAsync(step);
        }

        Assert.Equal(Enumerable.Range(0, (int)Steps).Select(step => (ulong)step), await hearing);
        await over.CancelAsync();
        await Task.WhenAll(churning);
        Assert.Equal([steady.Name], match.Hub.Subscribers.Select(state => state.Name));
        match.AssertAllReleased();
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public void Thousands_of_one_name_are_taken_in_without_comparing_each_with_each_again()
    {
        // Comparing every name for every number would need 4,000 cubed comparisons: hours.
        using var match = new TestMatch();
        var all = Enumerable.Range(0, 4000).Select(_ => match.Subscribe(Policy.Latest)).ToList();
        Assert.Equal("agent-4000", all[^1].Name);
        Assert.True(match.PublishAsync(0).IsCompletedSuccessfully);
        all.ForEach(one => one.Dispose());
        Assert.Empty(match.Hub.Subscribers);
        match.AssertAllReleased();
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public void Joining_and_leaving_costs_the_same_with_two_thousand_and_with_twenty_thousand_subscribers()
    {
        ComeAndGo(200);
        var (few, many) = (ComeAndGo(2_000), ComeAndGo(20_000));
        TestContext.Current.TestOutputHelper?.WriteLine($"{few.TotalMicroseconds} us, {many.TotalMicroseconds} us");
        Assert.True(many < 8 * few, $"{many.TotalMicroseconds} us, not {few.TotalMicroseconds} us");
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task Twenty_thousand_that_come_and_go_do_not_hold_up_a_frame()
    {
        using var match = new TestMatch();
        using var steady = match.Subscribe(Policy.Latest);
        var churning = Task.WhenAll(Enumerable.Range(0, 10).Select(_ => Task.Run(() =>
        {
            for (var round = 0; round < 20; round++)
            {
                Enumerable.Range(0, 100).Select(_ => match.Subscribe(Policy.Latest)).ToList().ForEach(one => one.Dispose());
            }
        })));
        var times = new List<TimeSpan>();
        for (var step = 0ul; !churning.IsCompleted || step < 100; step++)
        {
            var started = Stopwatch.GetTimestamp();
            await match.PublishAsync(step);
            times.Add(Stopwatch.GetElapsedTime(started));
        }

        await churning;
        times.Sort();
        Assert.InRange(times[times.Count * 99 / 100].TotalMilliseconds, 0, 50);
        steady.ReadFrame();
        match.AssertAllReleased();
    }

    [Fact]
    public void Numbers_of_names_that_are_free_again_are_used_again_the_lowest_first()
    {
        using var match = new TestMatch();
        using var own = match.Hub.Subscribe(new() { Agent = "agent-3" }, new SubscriberInfo("test", false));
        var all = Enumerable.Range(0, 5).Select(_ => match.Subscribe(Policy.Latest)).ToList();
        Assert.Equal(["agent", "agent-2", "agent-4", "agent-5", "agent-6"], all.Select(one => one.Name));
        all[3].Dispose();
        all[1].Dispose();
        Assert.Equal(["agent-2", "agent-5", "agent-7"], Enumerable.Range(0, 3).Select(_ => match.Subscribe(Policy.Latest).Name));
        all[0].Dispose();
        Assert.Equal("agent", match.Subscribe(Policy.Latest).Name);
    }

    // The mean time of one join and one leave.
    private static TimeSpan ComeAndGo(int crowd)
    {
        using var match = new TestMatch();
        var started = Stopwatch.GetTimestamp();
        var all = Enumerable.Range(0, crowd).Select(_ => match.Subscribe(Policy.Latest)).ToList();
        all.ForEach(one => one.Dispose());
        return Stopwatch.GetElapsedTime(started) / crowd;
    }

    private static async Task<List<ulong>> HearAsync(Subscription steady, ulong steps)
    {
        var heard = new List<ulong>();
        while ((ulong)heard.Count < steps)
        {
            var delivery = await steady.ReadAsync(Ct);
            var step = PlayResponse.Parser.ParseFrom(delivery.Frame!.EventMessage.Span).Frame.Step;
            delivery.Release();
            heard.Add(step);
            steady.Acknowledge(new Acknowledgement { Step = step });
        }

        return heard;
    }

    // Each subscriber has another policy, reads little or nothing, and leaves, sometimes in the middle of a read.
    private static async Task ChurnAsync(TestMatch match, int times, int seed, CancellationToken over)
    {
        var random = new Random(seed);
        for (var time = 0; time < times && !over.IsCancellationRequested; time++)
        {
            var policy = (Policy)random.Next(1, 4);
            using var visitor = match.Subscribe(policy, Overflow.Pause, queueBytes: 1);
            try
            {
                for (var reads = random.Next(4); reads > 0; reads--)
                {
                    var delivery = await visitor.ReadAsync(over);
                    var step = delivery.Frame!.Header.Step;
                    delivery.Release();
                    visitor.Acknowledge(new Acknowledgement { Step = step });
                }
            }
            catch (OperationCanceledException)
            {
                return;
            }

            if (random.Next(2) == 0)
            {
                var left = visitor.Read();
                visitor.Dispose();
                try
                {
                    (await left).Release();
                }
                catch (ObjectDisposedException)
                {
                    // It left before a frame arrived.
                }
            }
        }
    }
}
