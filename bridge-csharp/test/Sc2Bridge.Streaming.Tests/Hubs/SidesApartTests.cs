using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>A match with separated sides.</summary>
public sealed class SidesApartTests
{
    private static readonly Identity _one = new("one", Roles.Watch | Roles.Hold | Roles.Play, 1);
    private static readonly Identity _two = _one with { Side = 2 };
    private static readonly Identity _any = _one with { Side = null };

    [Fact]
    public async Task A_token_decides_the_side_that_is_seen()
    {
        using var match = new TwoSides(apart: true);
        using var named = Join(match, _two, 2);
        using var unnamed = Join(match, _two, null);
        using var other = Join(match, _one, null);
        await match.Publish(1, 0);
        await match.Publish(2, 7);
        Assert.Equal((2u, 7ul), named.Take());
        Assert.Equal((2u, 7ul), unnamed.Take());
        Assert.Equal((1u, 0ul), other.Take());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Another_side_is_refused_with_one_line(bool announced)
    {
        using var match = new TwoSides(apart: true, announce: announced);
        Assert.Contains("player 1's", Denied(Record.Exception(() => Join(match, _one, 2))), StringComparison.Ordinal);
        Assert.Contains("SC2BRIDGE_TOKEN", Unknown(Record.Exception(() => Join(match, null, 1))), StringComparison.Ordinal);
        Unknown(Record.Exception(() => Join(match, null, null)));
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public async Task A_token_holds_for_the_next_match_too()
    {
        using var match = new TwoSides(apart: true);
        match.Hub.End(new MatchEnd { NextFollows = true });
        using var waiting = Join(match, _two, null);
        match.Announce("next");
        await match.Publish(1, 0, "next");
        await match.Publish(2, 3, "next");
        Assert.Equal((2u, 3ul), waiting.Take());
    }

    [Fact]
    public async Task Whoever_plays_plays_its_own_side()
    {
        using var match = new TwoSides(apart: true);
        using var two = match.Hub.Subscribe(
            new V1.SubscribeRequest { Policy = Policy.Lockstep, CanAct = true },
            new SubscriberInfo("test", DeliverInline: false, Identity: _two));
        var published = match.Publish(2, 0);
        two.Take();
        two.Act(new Actions { Actions_ = { new SC2APIProtocol.Action { ActionChat = new() { Message = "mine" } } } });
        await match.Hub.Publisher.SendActionsAsync(1, Ct);
        Assert.Empty(match.Asked);
        await match.Hub.Publisher.SendActionsAsync(2, Ct);
        Assert.Equal((2u, "mine"), Assert.Single(match.Asked));
        two.Acknowledge(0);
        await published;
    }

    [Fact]
    public async Task The_game_of_another_side_is_not_asked()
    {
        using var match = new TwoSides(apart: true);
        List<AgentRequest> told = [];
        match.Hub.Events.RequestAnswered += told.Add;
        await match.Publish(1, 9);
        await match.Publish(2, 7);
        await Ask(_two, 2);
        await Ask(_two, null);
        Assert.All(match.Asked, asked => Assert.Equal((2u, "Query"), asked));
        Denied(await Record.ExceptionAsync(() => Ask(_two, 1)));
        Denied(await Record.ExceptionAsync(() => Ask(_two, 0)));
        Unknown(await Record.ExceptionAsync(() => Ask(Identity.Anonymous, 2)));
        Assert.Contains(
            "the actions of every side",
            Denied(await Record.ExceptionAsync(() => Ask(_two, 2, new Request { SaveReplay = new() }))),
            StringComparison.Ordinal);
        Assert.Equal(2, match.Asked.Count);

        // All requests are in the recording. A client without a side has its own step.
        Assert.Equal([2u, 2, 1, 0, 2, 2], told.Of(match.Hub).Select(request => request.Record.Perspective));
        Assert.Equal([7ul, 7, 9], told.Take(3).Select(request => request.Record.Step));

        Task Ask(Identity who, uint? perspective, Request? request = null)
        {
            var asked = new CallGameRequest { Request = request ?? new() { Query = new() } };
            if (perspective is { } one)
            {
                asked.Perspective = one;
            }

            return match.Hub.CurrentMatch.RequestAsync(asked, "a", who, Ct);
        }
    }

    [Fact]
    public async Task Another_sides_game_info_is_not_given()
    {
        using var match = new TwoSides(apart: true);
        Assert.Equal("two", (await Describe(new(), _two)).GameInfo.MapName);
        Assert.Equal("one", (await Describe(new() { Perspective = 1 }, _one)).GameInfo.MapName);
        Assert.Null((await Describe(new() { WithoutGameInfo = true }, Identity.Anonymous)).GameInfo);
        Unknown(await Record.ExceptionAsync(() => Describe(new(), Identity.Anonymous)));
        Unknown(await Record.ExceptionAsync(() => Describe(new() { Perspective = 1 }, Identity.Anonymous)));
        Denied(await Record.ExceptionAsync(() => Describe(new() { Perspective = 1 }, _two)));

        Task<MatchDescription> Describe(DescribeRequest request, Identity who) =>
            match.Hub.CurrentMatch.DescribeAsync(request, who, Ct);
    }

    [Fact]
    public async Task The_bridges_own_receive_all_without_a_token()
    {
        using var match = new TwoSides(apart: true);
        using var log = match.Hub.Subscribe(
            new(), new SubscriberInfo("log", DeliverInline: false, Internal: true, EveryPerspective: true));
        await match.Publish(1, 0);
        await match.Publish(2, 0);
        Assert.Equal((1u, 0ul), log.Take());
        Assert.Equal((2u, 0ul), log.Take());
    }

    [Fact]
    public async Task A_token_of_no_side_opens_all()
    {
        using var match = new TwoSides(apart: true);
        using var first = Join(match, _any, null);
        using var second = Join(match, _any, 2);
        await match.Publish(1, 5);
        await match.Publish(2, 6);
        Assert.Equal((1u, 5ul), first.Take());
        Assert.Equal((2u, 6ul), second.Take());
    }

    [Fact]
    public async Task If_sides_are_not_kept_apart_a_sides_token_still_shows_only_its_side()
    {
        using var match = new TwoSides();
        Denied(Record.Exception(() => Join(match, _two, 1)));
        using var heard = Join(match, _two, null);
        Assert.Equal(2u, Assert.Single(match.Hub.Subscribers).Perspective);
        Denied(await Record.ExceptionAsync(() => match.Hub.CurrentMatch.RequestAsync(
            new CallGameRequest { Perspective = 2, Request = new() { SaveReplay = new() } }, "a", _two, Ct)));
    }

    private static Subscription Join(TwoSides match, Identity? who, uint? perspective)
    {
        var request = new V1.SubscribeRequest();
        if (perspective is { } wanted)
        {
            request.Perspective = wanted;
        }

        return match.Hub.Subscribe(request, new SubscriberInfo("test", DeliverInline: false, Identity: who));
    }

    private static string Denied(Exception? problem) => Refused(problem, StatusCode.PermissionDenied);

    private static string Unknown(Exception? problem) => Refused(problem, StatusCode.Unauthenticated);

    private static string Refused(Exception? problem, uint code)
    {
        var refused = Assert.IsType<RequestRefusedException>(problem);
        Assert.Equal(code, refused.Code);
        Assert.DoesNotContain('\n', refused.Message);
        return refused.Message;
    }
}
