using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>When requests of agents are sent to the game. The game answers in order, so the match's steps wait for requests before them.</summary>
public sealed class RequestGateTests
{
    private static readonly Identity _watcher = new("watcher", Roles.Watch);
    private static readonly Identity _player = new("player", Roles.Watch | Roles.Hold | Roles.Play);

    // For requests with small queries.
    private const int AtOnce = 16;
    private const int AtOnceOfWatchers = 4;

    private readonly HeldGame _game = new();

    [Theory]
    [InlineData(Roles.Watch, AtOnceOfWatchers)]
    [InlineData(Roles.Watch | Roles.Hold | Roles.Control, AtOnceOfWatchers)]
    [InlineData(Roles.All, AtOnce)]
    public async Task The_game_has_one_batch_of_requests_at_a_time(Roles roles, int most)
    {
        using var hub = Announced(new HubOptions { TimeProvider = new ManualTime() });
        var asked = Asked(hub, new Identity("flood", roles), 64);
        for (var answered = 0; answered < asked.Count; answered++)
        {
            await HoldsAsync(() => _game.Given == Math.Min(asked.Count, answered + most));

            // A step that is sent now waits for these requests.
            Assert.InRange(_game.Waiting.Count, 1, most);
            _game.Answer();
        }

        await Task.WhenAll(asked);
    }

    [Fact]
    public async Task A_batch_asks_about_no_more_than_one_query_may()
    {
        using var hub = Announced();
        var large = new RequestQuery { Pathing = { Enumerable.Repeat(new RequestQueryPathing(), 1 + (GameRequestRules.MostAsked / 2)) } };
        var asked = Enumerable.Range(0, 3).Select(_ => Ask(hub, _player, new Request { Query = large })).ToList();
        for (var given = 1; given <= asked.Count; given++)
        {
            await HoldsAsync(() => _game.Given == given);
            Assert.Single(_game.Waiting);
            _game.Answer();
        }

        await Task.WhenAll(asked);
    }

    [Fact]
    public async Task Requests_reach_the_game_in_their_order()
    {
        using var hub = Announced();
        var connection = new ConnectionRequests(new RequestRoom(hub.Memory));
        var asked = Enumerable.Range(0, 64).Select(id => AskAsync(new Request { Id = (uint)id, Query = new() })).ToList();
        for (var id = 0u; id < 64; id++)
        {
            await HoldsAsync(() => _game.Given > id);
            Assert.Equal(id, _game.Waiting[0].Id);
            _game.Answer();
        }

        await Task.WhenAll(asked);

        async Task AskAsync(Request request)
        {
            using var held = connection.Hold(_player, request);
            await hub.CurrentMatch.RequestAsync(new CallGameRequest { Request = request }, "agent", _player, held, Ct);
        }
    }

    [Fact]
    public async Task A_request_whose_client_gave_up_is_with_the_game_until_it_answers()
    {
        using var hub = Announced();
        using var client = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var first = Ask(hub, _player, ct: client.Token);
        var others = Asked(hub, _player, AtOnce);
        await client.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Assert.Equal(AtOnce, _game.Given);
        _game.Answer();
        await HoldsAsync(() => _game.Given == AtOnce + 1);
        AnswerAll();
        await Task.WhenAll(others);
    }

    [Fact]
    public async Task A_request_whose_client_gave_up_is_charged_until_the_game_answers()
    {
        using var hub = Announced();
        var connection = new ConnectionRequests(new RequestRoom(hub.Memory));
        using var client = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var held = connection.Hold(_player, new CallGameRequest());
        var asked = hub.CurrentMatch.RequestAsync(new CallGameRequest { Request = new() { Query = new() } }, "agent", _player, held, client.Token);
        await client.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
        held.Dispose();
        Assert.NotEqual(0, hub.Memory[MemoryAccount.Requests]);
        _game.Answer();
        await HoldsAsync(() => hub.Memory[MemoryAccount.Requests] == 0);
    }

    [Fact]
    public async Task A_request_whose_client_gave_up_before_its_turn_is_not_sent()
    {
        using var hub = Announced();
        using var client = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var first = Asked(hub, _player, AtOnce);
        var (watching, playing) = (Ask(hub, _watcher, ct: client.Token), Ask(hub, _player, ct: client.Token));
        await client.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => watching);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => playing);
        var last = Ask(hub, _watcher);
        AnswerAll();
        await Task.WhenAll(first);
        await HoldsAsync(() => _game.Given == AtOnce + 1);
        _game.Answer();
        await last;
    }

    [Fact]
    public async Task A_player_waits_for_a_quarter_of_a_batch_of_watchers_at_most()
    {
        using var hub = Announced();
        var watching = Asked(hub, _watcher, 10);
        var playing = Ask(hub, _player, new Request { GameInfo = new RequestGameInfo() });
        Assert.Equal(AtOnceOfWatchers + 1, _game.Given);
        Assert.NotNull(_game.Waiting[^1].GameInfo);
        AnswerAll();
        await playing;
        await HoldsAsync(() => watching.Count(one => one.IsCompleted) == AtOnceOfWatchers);
    }

    [Fact]
    public async Task Fifty_queries_of_a_player_in_one_step_of_real_time_take_a_few_steps()
    {
        using var hub = Announced();
        var asked = Asked(hub, _player, 50);
        for (var step = 1; step <= 4; step++)
        {
            await HoldsAsync(() => _game.Given == Math.Min(50, step * AtOnce));

            // In real time, the game answers requests when it answers the observation of the next step.
            AnswerAll();
        }

        await Task.WhenAll(asked);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(AtOnceOfWatchers)]
    public async Task Watchers_get_a_quarter_of_the_games_time(int atOnce)
    {
        var time = new ManualTime();
        using var hub = Announced(new HubOptions { TimeProvider = time });
        var first = Asked(hub, _watcher, atOnce);
        time.Advance(TimeSpan.FromSeconds(2));
        AnswerAll();
        await Task.WhenAll(first);

        // 2 s are a quarter of 8 s, and 1 s is free. The game handled the requests one after the other.
        var next = Ask(hub, _watcher);
        time.Advance(TimeSpan.FromSeconds(4.9));
        var playing = Ask(hub, _player);
        Assert.Equal(atOnce + 1, _game.Given);
        _game.Answer();
        await playing;
        time.Advance(TimeSpan.FromSeconds(0.1));
        await HoldsAsync(() => _game.Given == atOnce + 2);
        _game.Answer();
        await next;
    }

    [Fact]
    public async Task Each_perspective_has_a_game_of_its_own()
    {
        using var hub = Announced();
        var (one, two) = (Ask(hub, _player), Ask(hub, _player, perspective: 2));
        Assert.Equal(2, _game.Given);
        _game.Answer();
        _game.Answer();
        await Task.WhenAll(one, two);
    }

    [Fact]
    public async Task Waiting_actions_do_not_reach_the_next_match()
    {
        using var hub = Announced();
        var (given, waiting) = (Asked(hub, _player, AtOnce), Ask(hub, _player));
        hub.End(new MatchEnd { NextFollows = true });
        hub.Announce(Match("next"), _game);
        AnswerAll();
        await Task.WhenAll(given);
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => waiting);
        Assert.Equal((StatusCode.FailedPrecondition, "the match has ended"), (refused.Code, refused.Message));
        Assert.Equal(AtOnce, _game.Given);
    }

    [Theory]
    [InlineData(false, GameRequestRules.MostAsked)]
    [InlineData(true, GameRequestRules.MostAskedByWatchers)]
    public async Task A_query_asks_about_no_more_than_the_game_answers_soon(bool lacksPlayRole, int most)
    {
        using var hub = Announced();
        var query = new RequestQuery();
        query.Pathing.AddRange(Enumerable.Repeat(new RequestQueryPathing(), most / 2));
        query.Abilities.Add(new RequestQueryAvailableAbilities());
        query.Placements.AddRange(Enumerable.Repeat(new RequestQueryBuildingPlacement(), (most / 2) - 1));
        var who = lacksPlayRole ? _watcher : _player;
        var asked = Ask(hub, who, new Request { Query = query.Clone() });
        _game.Answer();
        await asked;
        query.Placements.Add(new RequestQueryBuildingPlacement());
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => Ask(hub, who, new Request { Query = query }));
        Assert.Equal(StatusCode.InvalidArgument, refused.Code);
        Assert.Contains($"about {most + 1} units and points", refused.Message, StringComparison.Ordinal);
        Assert.Contains($"{most} at most", refused.Message, StringComparison.Ordinal);
        Assert.Equal(1, _game.Given);
    }

    [Fact]
    public async Task Only_a_client_that_may_control_has_the_game_download_the_data_of_a_replay()
    {
        using var hub = Announced();
        var request = new Request { ReplayInfo = new RequestReplayInfo { ReplayPath = "one.SC2Replay", DownloadData = true } };
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => Ask(hub, _player, request));
        Assert.Equal(StatusCode.PermissionDenied, refused.Code);
        Assert.Contains("ReplayInfo with download_data requires the role 'control'", refused.Message, StringComparison.Ordinal);
        var asked = Ask(hub, new Identity("controls", Roles.Watch | Roles.Control), request);
        _game.Answer();
        await asked;
    }

    [Fact]
    public async Task Drawings_of_a_match_are_not_shown_in_the_next_one()
    {
        using var hub = Announced();
        var draw = new DebugDraw { Text = { new DebugText { Text = "here" } } };
        var drawing = Ask(hub, _player, new Request { Debug = new RequestDebug { Debug = { new DebugCommand { Draw = draw } } } });
        hub.End(new MatchEnd { NextFollows = true });
        hub.Announce(Match("next"), _game);
        _game.Answer(new Response { Debug = new ResponseDebug() });
        await drawing;
        Assert.Empty(hub.CurrentMatch.Drawings.All);
    }

    private static MatchDescription Match(string name) => new() { MatchId = name, Perspectives = { 0, 2 } };

    private static Task<Response> Ask(
        Hub hub, Identity who, Request? request = null, uint perspective = 0, CancellationToken? ct = null) =>
        hub.CurrentMatch.RequestAsync(
            new CallGameRequest { Request = request ?? new() { Query = new() }, Perspective = perspective }, "agent", who, ct ?? Ct);

    private static List<Task<Response>> Asked(Hub hub, Identity who, int count) => [.. Enumerable.Range(0, count).Select(_ => Ask(hub, who))];

    private void AnswerAll()
    {
        for (var left = _game.Waiting.Count; left > 0; left--)
        {
            _game.Answer();
        }
    }

    private Hub Announced(HubOptions? options = null)
    {
        var hub = new Hub(options ?? new HubOptions());
        hub.Announce(Match("first"), _game);
        return hub;
    }
}
