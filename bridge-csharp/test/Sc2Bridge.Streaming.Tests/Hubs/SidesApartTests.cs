using FsCheck;
using FsCheck.Fluent;
using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>A match whose sides are kept apart.</summary>
public sealed class SideKeysTests
{
    private readonly SideKeys _keys = SideKeys.For([1, 2]);

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public void Every_key_is_another()
    {
        var keys = Enumerable.Range(0, 100).SelectMany(_ => Both(SideKeys.For([1, 2]))).ToList();
        Assert.Equal(200, keys.Distinct().Count());
        Assert.All(keys, key => Assert.Matches("^[0-9a-f]{32}$", key));
        Assert.Throws<ArgumentException>(() => _keys.Of(3));

        static string[] Both(SideKeys keys) => [keys.Of(1), keys.Of(2)];
    }

    [Fact]
    public async Task A_key_decides_the_side_that_is_seen()
    {
        using var match = new TwoSides(keys: _keys);
        using var named = Join(match, _keys.Of(2), 2);
        using var unnamed = Join(match, _keys.Of(2), null);
        using var other = Join(match, _keys.Of(1), null);
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
        using var match = new TwoSides(keys: _keys, announce: announced);
        Assert.Contains("player 1's; --open", Refused(() => Join(match, _keys.Of(1), 2)), StringComparison.Ordinal);
        Assert.Contains("SC2BRIDGE_KEY", Refused(() => Join(match, "", 1)), StringComparison.Ordinal);
        Assert.Contains("SC2BRIDGE_KEY", Refused(() => Join(match, "", null)), StringComparison.Ordinal);
        Assert.Contains("no side of", Refused(() => Join(match, "guessed", 1)), StringComparison.Ordinal);
        Assert.Contains("no side of", Refused(() => Join(match, SideKeys.For([1]).Of(1), 1)), StringComparison.Ordinal);
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public async Task Keys_hold_for_the_next_match_too()
    {
        using var match = new TwoSides(keys: _keys);
        match.Hub.End(new MatchEnd { NextFollows = true });
        using var waiting = Join(match, _keys.Of(2), null);
        match.Announce("next");
        await match.Publish(1, 0, "next");
        await match.Publish(2, 3, "next");
        Assert.Equal((2u, 3ul), waiting.Take());
    }

    [Fact]
    public async Task Whoever_plays_plays_its_own_side()
    {
        using var match = new TwoSides(keys: _keys);
        using var two = match.Hub.Subscribe(
            new V1.SubscribeRequest { Policy = Policy.Lockstep, CanAct = true, Key = _keys.Of(2) },
            new SubscriberInfo("test", DeliverInline: false));
        var published = match.Publish(2, 0);
        two.Take();
        two.Act(new Actions { Actions_ = { new SC2APIProtocol.Action { ActionChat = new() { Message = "mine" } } } });
        await match.Hub.ActAsync(1, Ct);
        Assert.Empty(match.Asked);
        await match.Hub.ActAsync(2, Ct);
        Assert.Equal((2u, "mine"), Assert.Single(match.Asked));
        two.Acknowledge(0);
        await published;
    }

    [Fact]
    public async Task The_game_of_another_side_is_not_asked()
    {
        using var match = new TwoSides(keys: _keys);
        List<AgentRequest> told = [];
        match.Hub.Events.Requested += told.Add;
        await Ask(_keys.Of(2), 2);
        await Ask(_keys.Of(2), 0);
        Assert.All(match.Asked, asked => Assert.Equal((2u, "Query"), asked));
        Refused(await Record.ExceptionAsync(() => Ask(_keys.Of(2), 1)));
        Refused(await Record.ExceptionAsync(() => Ask("", 2)));
        Assert.Contains(
            "what every side did",
            Refused(await Record.ExceptionAsync(() => Ask(_keys.Of(2), 2, new Request { SaveReplay = new() }))),
            StringComparison.Ordinal);
        Assert.Equal(2, match.Asked.Count);

        // All of it is in the recording, and the keys are not.
        Assert.Equal([2u, 2, 1, 2, 2], told.Of(match.Hub).Select(request => request.Record.Perspective));
        Assert.All(
            told,
            request => Assert.DoesNotContain(_keys.Of(2), $"{request.Record}", StringComparison.Ordinal));

        Task Ask(string key, uint perspective, Request? request = null) => match.Hub.CurrentMatch.RequestAsync(
            new GameRequest { Perspective = perspective, Key = key, Request = request ?? new() { Query = new() } },
            "a", Ct);
    }

    [Fact]
    public async Task Another_sides_game_info_is_not_given()
    {
        using var match = new TwoSides(keys: _keys);
        Assert.Equal("two", (await Describe(new() { Key = _keys.Of(2) })).GameInfo.MapName);
        Assert.Equal("one", (await Describe(new() { Key = _keys.Of(1), Perspective = 1 })).GameInfo.MapName);
        Assert.Null((await Describe(new() { WithoutGameInfo = true })).GameInfo);
        foreach (var other in (DescribeRequest[])
            [new(), new() { Perspective = 1 }, new() { Key = _keys.Of(2), Perspective = 1 }, new() { Key = "x" }])
        {
            Refused(await Record.ExceptionAsync(() => Describe(other)));
        }

        Task<MatchDescription> Describe(DescribeRequest request) => match.Hub.CurrentMatch.DescribeAsync(request, Ct);
    }

    [Fact]
    public async Task The_bridges_own_receive_all_without_a_key()
    {
        using var match = new TwoSides(keys: _keys);
        using var log = match.Hub.Subscribe(
            new(), new SubscriberInfo("log", DeliverInline: false, Internal: true, EveryPerspective: true));
        await match.Publish(1, 0);
        await match.Publish(2, 0);
        Assert.Equal((1u, 0ul), log.Take());
        Assert.Equal((2u, 0ul), log.Take());
    }

    [Fact]
    public async Task One_side_whichever_it_is_has_one_key()
    {
        var keys = SideKeys.ForOne();
        Assert.Equal(keys.Of(1), keys.Of(2));
        using var match = new TwoSides(keys: keys);
        using var heard = Join(match, keys.Of(7), null);
        await match.Publish(1, 5);
        Assert.Equal((1u, 5ul), heard.Take());
        Refused(() => Join(match, "", null));
    }

    [Fact]
    public void Where_nothing_is_kept_apart_a_key_is_passed_over()
    {
        using var match = new TwoSides();
        using var heard = Join(match, "of another bridge", 2);
        Assert.Equal(2u, Assert.Single(match.Hub.Subscribers).Perspective);
    }

    [Fact]
    public void No_other_text_is_a_key()
    {
        using var match = new TwoSides(keys: _keys);
        var key = _keys.Of(2);
        var near = Gen.Choose(0, key.Length).SelectMany(at => Gen.Elements(
            key[..at], key[at..], key.Insert(at, "\0"), key.Insert(at, "\uD800"), key + key[at..],
            key[..at] + key[at..].ToUpperInvariant() + " ", " " + key, key[..at] + "é" + key[at..]));
        var any = Gen.OneOf(near, ArbMap.Default.GeneratorFor<string>().Select(text => text ?? ""));
        Prop.ForAll(any.ToArbitrary(), text =>
        {
            if (text == key)
            {
                return true;
            }

            var said = Refused(() => Join(match, text, null));
            return text.Length < 9 || !said.Contains(text, StringComparison.Ordinal);
        }).QuickCheckThrowOnFailure();
    }

    private static Subscription Join(TwoSides match, string key, uint? perspective)
    {
        var request = new V1.SubscribeRequest { Key = key };
        if (perspective is { } wanted)
        {
            request.Perspective = wanted;
        }

        return match.Hub.Subscribe(request, new SubscriberInfo("test", DeliverInline: false));
    }

    private string Refused(System.Action ask) => Refused(Record.Exception(ask));

    private string Refused(Exception? problem)
    {
        var refused = Assert.IsType<RequestRefusedException>(problem);
        Assert.Equal(StatusCode.PermissionDenied, refused.Code);
        Assert.DoesNotContain('\n', refused.Message);
        Assert.DoesNotContain(_keys.Of(1), refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(_keys.Of(2), refused.Message, StringComparison.Ordinal);
        return refused.Message;
    }
}
