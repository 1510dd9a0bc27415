using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>A client's view of the stream's state.</summary>
public sealed class StatusOfBridgeTests
{
    private static readonly Identity _watcher = new("watcher", Roles.Watch);

    [Fact]
    public async Task It_says_who_is_waited_for_and_how_late_an_agent_is()
    {
        var time = new ManualTime();
        using var match = new PlayedMatch(options: new HubOptions
        {
            LockstepDeadline = Timeout.InfiniteTimeSpan,
            TimeProvider = time,
        });
        using var player = match.Join(agent: "player");
        using var watcher = match.Subscribe(Policy.Latest);
        var status = new StatusOfBridge(match.Hub, health: null);
        var publishing = match.PublishAsync(0);
        (await player.ReadAsync(Ct)).Release();
        player.CountSent(123);

        var held = status.StatusFor(_watcher);
        Assert.Equal((PlayedMatch.Name, 1ul), (held.MatchId, held.Steps));
        var told = held.Subscribers.Single(one => one.Name == "player");
        Assert.Equal(("test", Policy.Lockstep, PlayedMatch.Side, false), (told.Transport, told.Policy, told.Perspective, told.Internal));
        Assert.Equal((1ul, 0ul, 123ul, 0ul, 0ul), (told.Delivered, told.Dropped, told.Bytes, told.QueuedFrames, told.LastStep));
        Assert.True(told.MatchWaits);
        Assert.False(told.HasDelayNs);
        var other = held.Subscribers.Single(one => one.Name != "player");
        Assert.Equal((Policy.Latest, 1ul, false, false), (other.Policy, other.QueuedFrames, other.MatchWaits, other.HasLastStep));
        Assert.True(other.QueuedBytes > 0);

        // The step was observed at 2000.
        player.Acknowledge(new Acknowledgement
        {
            Step = 0,
            Times = { new StepTimes { Step = 0, ReceivedNs = 5000, Clock = ClockSource.Shared } },
        });
        await publishing;

        // The status is computed at most ten times a second.
        Assert.True(status.StatusFor(_watcher).Subscribers.Single(one => one.Name == "player").MatchWaits);
        time.Advance(TimeSpan.FromMilliseconds(100));
        told = status.StatusFor(_watcher).Subscribers.Single(one => one.Name == "player");
        Assert.Equal((false, true, 3000L), (told.MatchWaits, told.MatchWaitNs > 0, told.DelayNs));
    }

    [Fact]
    public void An_ended_subscriber_is_not_listed_though_its_last_frames_wait()
    {
        using var match = new PlayedMatch();
        using var ended = match.Join(Policy.Every, "ended");
        using var runs = match.Join(Policy.Every, "runs");
        _ = match.PublishAsync(0);
        ended.Drop(StatusCode.Unauthenticated, "expired");
        var told = new StatusOfBridge(match.Hub, health: null).StatusFor(_watcher);
        Assert.Equal(["runs"], told.Subscribers.Select(one => one.Name));
        Assert.Equal(["ended", "runs"], match.Hub.Subscribers.Select(one => one.Name));
    }

    [Fact]
    public void A_crowd_is_counted_behind_the_first_two_hundred()
    {
        using var match = new PlayedMatch();
        var crowd = Enumerable.Range(0, 203).Select(_ => match.Subscribe(Policy.Latest)).ToList();
        var told = new StatusOfBridge(match.Hub, health: null).StatusFor(_watcher);
        Assert.Equal((200, 3u), (told.Subscribers.Count, told.MoreSubscribers));
        crowd.ForEach(one => one.Dispose());
    }

    [Fact]
    public void A_side_that_is_kept_apart_is_told_of_itself_alone()
    {
        using var match = new TwoSides(apart: true);
        Identity[] sides = [_watcher with { Side = 1 }, _watcher with { Side = 2 }];
        var joined = sides.Select(side => match.Hub.Subscribe(
            new V1.SubscribeRequest { Policy = Policy.Latest, Agent = $"of {side.Side}" },
            new SubscriberInfo("test", DeliverInline: false, Identity: side))).ToList();
        var status = new StatusOfBridge(match.Hub, health: null);
        Assert.Equal(["of 1"], Names(sides[0]));
        Assert.Equal(["of 2"], Names(sides[1]));
        Assert.Equal(["of 1", "of 2"], Names(_watcher));
        Assert.Throws<RequestRefusedException>(() => Names(Identity.Anonymous));
        Assert.Throws<RequestRefusedException>(() => Names(_watcher with { Roles = Roles.None }));
        joined.ForEach(one => one.Dispose());

        IEnumerable<string> Names(Identity who) => status.StatusFor(who).Subscribers.Select(one => one.Name);
    }

    [Fact]
    public void Reasons_why_the_bridge_is_degraded_are_reported()
    {
        using var match = new PlayedMatch();
        using var health = new HealthOfBridge(match.Hub, () => (95, 100), new ManualTime());
        health.CheckNow();
        var told = new StatusOfBridge(match.Hub, health).StatusFor(_watcher);
        Assert.Contains("memory", Assert.Single(told.Degraded), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Agents_drawings_are_reported_until_they_draw_something_else()
    {
        using var match = new TestMatch();
        var status = new StatusOfBridge(match.Hub, health: null);
        Assert.Empty(Drawn());
        await DrawAsync(0, new DebugDraw { Spheres = { new DebugSphere { R = 3 } } });
        await DrawAsync(2, new DebugDraw { Lines = { new DebugLine() } });
        await DrawAsync(2, new DebugDraw { Spheres = { new DebugSphere { R = 5 } } });
        Assert.Equal([(0u, "painter", 3f), (2u, "painter", 5f)], Drawn().Select(one => (one.Perspective, one.Agent, one.Draw.Spheres[0].R)));
        Assert.Equal([2u], Drawn(_watcher with { Side = 2 }).Select(one => one.Perspective));

        // An empty drawing clears the last one, and a drawing over the limit is not kept.
        await DrawAsync(2, new DebugDraw());
        await DrawAsync(0, new DebugDraw { Text = { new DebugText { Text = new string('a', 70_000) } } });
        Assert.Empty(Drawn());
        await DrawAsync(0, new DebugDraw { Lines = { new DebugLine() } });
        match.Hub.End(new MatchEnd());
        match.Hub.Announce(match.Description, match);
        Assert.Empty(Drawn());

        IEnumerable<Drawing> Drawn(Identity? who = null) => status.StatusFor(who ?? _watcher).Drawings.OrderBy(one => one.Perspective);

        Task DrawAsync(uint perspective, DebugDraw draw) => match.Hub.CurrentMatch.RequestAsync(
            new CallGameRequest
            {
                Perspective = perspective,
                Request = new Request { Debug = new RequestDebug { Debug = { new DebugCommand { Draw = draw } } } },
            },
            "painter", Identity.Anonymous, Ct);
    }
}
