namespace Sc2Bridge.Games.Tests.StarCraft;

public sealed class StarCraftSourceTests
{
    [Fact]
    public async Task A_match_is_created_observed_and_followed_to_its_results()
    {
        var game = new StandInGame { EndLoop = 12 };
        var settings = new MatchSettings
        {
            Seed = 7,
            StepSize = 4,
            Observe = 1,
            DisableFog = true,
            Interface = new InterfaceOptions { Raw = true, ShowCloaked = true, FeatureLayer = SpatialSize.Parse("84x84,64") },
        };
        var (loops, end) = await PlayAsync(game, settings);
        Assert.Equal([0u, 4, 8, 12], loops);
        Assert.Equal([1u, 2], end.Results.Select(result => result.PlayerId));
        Assert.Equal((3ul, 12u, V1.EndReason.Finished, false), (end.Step, end.GameLoop, end.Reason, end.Aborted));
        var create = game.Sent(request => request.CreateGame);
        Assert.Equal("Ladder2017Season2/CinderFortressLE.SC2Map", create.LocalMap.MapPath);
        Assert.Equal(7u, create.RandomSeed);
        Assert.True(create.DisableFog);
        Assert.Equal(
            [PlayerType.Computer, PlayerType.Computer, PlayerType.Observer],
            create.PlayerSetup.Select(player => player.Type));
        var join = game.Sent(request => request.JoinGame);
        Assert.Equal(1u, join.ObservedPlayerId);
        Assert.True(join.Options.ShowCloaked);
        Assert.Equal(84, join.Options.FeatureLayer.Resolution.X);
        Assert.All(game.Requests.Where(r => r.Observation is not null), r => Assert.True(r.Observation.DisableFog));
    }

    [Fact]
    public async Task Results_that_come_after_the_status_are_asked_for_once_more()
    {
        var asks = 0;
        var game = new StandInGame
        {
            Override = (request, loop) => request.Observation is null || loop < 2 ? null
                : asks++ == 0 ? StandInGame.Observed(2, Status.Ended)
                : StandInGame.Observed(2, Status.Ended, new PlayerResult { PlayerId = 1, Result = Result.Tie }),
        };
        var (loops, end) = await PlayAsync(game, new MatchSettings());
        Assert.Equal([0u, 1, 2], loops);
        Assert.Equal(Result.Tie, Assert.Single(end.Results).Result);
    }

    [Fact]
    public async Task A_stub_observation_is_no_frame_but_its_results_count()
    {
        var game = new StandInGame
        {
            Override = (request, loop) => request.Observation is null || loop < 2 ? null
                : StandInGame.Observed(
                    uint.MaxValue, Status.Ended, new PlayerResult { PlayerId = 1, Result = Result.Victory }),
        };
        var (loops, end) = await PlayAsync(game, new MatchSettings());
        Assert.Equal([0u, 1], loops);
        Assert.Equal((1u, 1), (end.GameLoop, end.Results.Count));
    }

    [Theory]
    [InlineData("Game has already ended")]
    [InlineData("Not supported if game has already ended")]
    public async Task A_step_refused_because_the_game_ended_is_the_end(string words)
    {
        var asks = 0;
        var game = new StandInGame
        {
            Override = (request, loop) => loop < 2 ? null
                : request.Step is not null ? StandInGame.Refused(words)
                : request.Observation is null ? null
                : asks++ == 0 ? StandInGame.Observed(1)
                : StandInGame.Observed(1, Status.Ended, new PlayerResult { PlayerId = 2, Result = Result.Victory }),
        };
        var (loops, end) = await PlayAsync(game, new MatchSettings());
        Assert.Equal([0u, 1], loops);
        Assert.Equal(2u, Assert.Single(end.Results).PlayerId);
    }

    [Fact]
    public async Task In_real_time_nothing_steps_and_observations_wait_for_their_loop()
    {
        var game = new StandInGame
        {
            Override = (request, loop) => request.Observation is not null && loop >= 9
                ? StandInGame.Refused("Not in a game")
                : null,
        };
        var (loops, end) = await PlayAsync(game, new MatchSettings { Rate = StepRate.GameClock, StepSize = 3 });
        Assert.Equal([0u, 3, 6], loops);
        Assert.Empty(end.Results);
        Assert.True(game.Sent(request => request.CreateGame).Realtime);
        Assert.DoesNotContain(game.Requests, request => request.Step is not null);
    }

    [Fact]
    public async Task In_real_time_a_query_goes_before_the_next_waiting_observation()
    {
        var game = new StandInGame();
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = new StarCraftSource(new MatchSettings { Rate = StepRate.GameClock }, server.Address);
        await source.StartAsync(Ct);
        (await source.NextAsync(Ct))!.Release();
        var waiting = source.NextAsync(Ct);
        var query = source.RequestAsync(0, new Request { Query = new RequestQuery() }, Ct);
        (await waiting)!.Release();
        (await source.NextAsync(Ct))!.Release();
        Assert.NotNull((await query).Query);
        var kinds = game.Requests.Select(request => request.RequestCase).SkipWhile(
            kind => kind != Request.RequestOneofCase.Observation).ToArray();
        Assert.Equal(
            [Request.RequestOneofCase.Observation, Request.RequestOneofCase.Observation, Request.RequestOneofCase.Query,
                Request.RequestOneofCase.Observation],
            kinds);
    }

    [Fact]
    public async Task A_side_that_agents_play_is_joined_as_its_participant_and_seen_with_its_eyes()
    {
        var game = new StandInGame { EndLoop = 2 };
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        var settings = new MatchSettings
        {
            Players = [PlayerSpec.Computer(Race.Zerg, Difficulty.Easy), PlayerSpec.Agent(Race.Protoss)],
        };
        await using var source = new StarCraftSource(settings, server.Address);
        await source.StartAsync(Ct);
        Assert.Equal(
            [PlayerType.Computer, PlayerType.Participant],
            game.Sent(request => request.CreateGame).PlayerSetup.Select(player => player.Type));
        var join = game.Sent(request => request.JoinGame);
        Assert.Equal((Race.Protoss, false), (join.Race, join.HasObservedPlayerId));

        // This game reported the number 3.
        Assert.Equal([3u], source.Description.Perspectives);
        Assert.Equal(
            ["1 Computer Zerg Easy", "3 Agent Protoss "],
            source.Description.Players.Select(p => $"{p.PlayerId} {p.Kind} {p.Race} {p.Difficulty}"));
        var frame = await source.NextAsync(Ct);
        Assert.Equal(3u, frame!.Header.Perspective);
        frame.Release();
        var refusal = await Assert.ThrowsAsync<RequestRefusedException>(
            () => source.RequestAsync(0, new Request { Query = new RequestQuery() }, Ct));
        Assert.Contains("ask with perspective 3", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Actions_cost_a_step_no_round_trip_and_are_answered_before_its_frame()
    {
        var game = new StandInGame { EndLoop = 3 };
        await using var server = ScriptedGame.Start(async connection =>
        {
            while (await connection.ReadAsync() is { } request)
            {
                // A client that waits for the answer before its next request would wait for ever.
                Request[] behind = request.Action is null
                    ? []
                    : [(await connection.ReadAsync())!, (await connection.ReadAsync())!];
                foreach (var one in behind.Prepend(request))
                {
                    await connection.AnswerAsync(one, game.Answer(one)!);
                }
            }
        });
        var settings = new MatchSettings
        {
            Players = [PlayerSpec.Agent(Race.Protoss), PlayerSpec.Computer(Race.Zerg, Difficulty.Easy)],
        };
        await using var source = new StarCraftSource(settings, server.Address);
        using var hub = new Hub(new HubOptions());
        var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(Ct);
        using var agent = hub.Subscribe(
            new V1.SubscribeRequest { Policy = V1.Policy.Lockstep, CanAct = true }, new SubscriberInfo("test", false));
        var run = runner.RunAsync(Ct);
        var heard = new List<string>();
        Delivery delivery;
        do
        {
            delivery = await agent.ReadAsync(Ct);
            if (Heard(delivery) is { } frame)
            {
                heard.AddRange([.. frame.Outcomes.Select(Done), $"frame {frame.Step}"]);
                agent.Acknowledge(new V1.Acknowledgement { Step = frame.Step, Actions = { Chat(frame.Step) } });
            }
            else
            {
                heard.Add(delivery.Event!.ActionsOutcome is { } told ? Done(told) : "end");
            }

            delivery.Release();
        }
        while (!delivery.IsLast);

        static string Done(V1.ActionsOutcome told) =>
            $"done {told.Step}: {string.Join(' ', told.Outcomes.Select(outcome => outcome.Result))}";
        Assert.Equal(V1.EndReason.Finished, (await run).Reason);
        Assert.Equal(
            ["frame 0", "done 0: 1", "frame 1", "done 1: 1", "frame 2", "done 2: 1", "frame 3", "done 3: 0", "end"], heard);
        Assert.Equal(
            ["Observation", "Action", "Step", "Observation", "Action", "Step", "Observation"],
            game.Requests.Select(request => request.RequestCase.ToString())
                .SkipWhile(kind => kind != "Observation").Take(7));
    }

    [Fact]
    public async Task Actions_are_sent_in_real_time_while_the_bridge_waits_for_the_next_observation()
    {
        var game = new StandInGame();
        await using var server = ScriptedGame.Start(async connection =>
        {
            while (await connection.ReadAsync() is { } request)
            {
                var acts = request.Observation is { GameLoop: 2 } ? await connection.ReadAsync() : null;
                await connection.AnswerAsync(request, game.Answer(request)!);
                if (acts is not null)
                {
                    await connection.AnswerAsync(acts, game.Answer(acts)!);
                }
            }
        });
        var settings = new MatchSettings
        {
            Rate = StepRate.GameClock,
            Players = [PlayerSpec.Agent(Race.Protoss), PlayerSpec.Computer(Race.Zerg, Difficulty.Easy)],
        };
        await using var source = new StarCraftSource(settings, server.Address);
        using var hub = new Hub(new HubOptions());
        var runner = new MatchRunner(source, hub, StepRate.GameClock, stepLimit: 4);
        await runner.StartAsync(Ct);
        using var agent = hub.Subscribe(
            new V1.SubscribeRequest { Policy = V1.Policy.Every, CanAct = true }, new SubscriberInfo("test", false));
        var run = runner.RunAsync(Ct);
        (await agent.ReadAsync(Ct)).Release();
        (await agent.ReadAsync(Ct)).Release();
        agent.Act(Chat(1));
        var (told, frames) = (0, 2);
        for (Delivery next; !(next = await agent.ReadAsync(Ct)).IsLast; next.Release())
        {
            frames += next.Frame is null ? 0 : 1;
            told += Heard(next)?.Outcomes.Sum(result => result.Outcomes.Single().Result)
                ?? next.Event!.ActionsOutcome.Outcomes.Single().Result;
        }

        Assert.Equal((4, 1), (frames, told));
        await run;
    }

    [Theory]
    [InlineData("Abyssal Reef LE", "AbyssalReefLE.SC2Map", null)]
    [InlineData("abyssalreefle", "AbyssalReefLE.SC2Map", null)]
    [InlineData("AbyssalReefLE.SC2Map", "AbyssalReefLE.SC2Map", null)]
    [InlineData("EverDreamLE", null, "Ever Dream LE")]
    public async Task Maps_go_by_the_names_that_people_write(string name, string? path, string? battleNet)
    {
        var game = new StandInGame { EndLoop = 0 };
        await PlayAsync(game, new MatchSettings { Map = name });
        var create = game.Sent(request => request.CreateGame);
        Assert.Equal(path, create.LocalMap?.MapPath);
        Assert.Equal(battleNet, create.HasBattlenetMapName ? create.BattlenetMapName : null);
    }

    [Fact]
    public async Task An_unknown_map_is_one_clear_error_with_suggestions()
    {
        var failure = await Assert.ThrowsAsync<GameException>(
            () => PlayAsync(new StandInGame(), new MatchSettings { Map = "Cinder Fort" }));
        Assert.StartsWith(
            "There is no map 'Cinder Fort'. The maps are: CinderFortressLE,",
            failure.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_runner_publishes_up_to_the_limit_and_ends_the_hub()
    {
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(new StandInGame().Answer));
        await using var source = new StarCraftSource(new MatchSettings(), server.Address);
        using var hub = new Hub(new HubOptions());
        var runner = new MatchRunner(source, hub, StepRate.At(2000), stepLimit: 5);
        await runner.StartAsync(Ct);
        var end = await runner.RunAsync(Ct);
        Assert.Equal((V1.EndReason.StepLimit, 4ul, 4u, false), (end.Reason, end.Step, end.GameLoop, end.Aborted));
        Assert.Equal(5ul, runner.Progress.Frames);
    }

    [Fact]
    public async Task A_runner_that_is_stopped_or_loses_its_game_says_so()
    {
        using var stop = new CancellationTokenSource();
        var game = new StandInGame
        {
            Override = (request, loop) =>
            {
                if (loop == 3)
                {
                    stop.Cancel();
                }

                return loop == 3 && request.Observation is not null ? StandInGame.Refused("Out of order") : null;
            },
        };
        foreach (var token in new[] { stop.Token, Ct })
        {
            await using var server = ScriptedGame.Start(
                connection => connection.ServeAsync(new StandInGame { Override = game.Override }.Answer));
            await using var source = new StarCraftSource(new MatchSettings(), server.Address);
            using var hub = new Hub(new HubOptions());
            var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
            await runner.StartAsync(Ct);
            var end = await runner.RunAsync(token);
            Assert.Equal(
                token == Ct ? ("The game refused observation: Out of order", true) : ("stopped", false),
                (end.Detail, end.Aborted));
        }
    }

    private static V1.Frame? Heard(Delivery delivery) => delivery.Frame is null ? null : delivery.Parsed();

    private static V1.Actions Chat(ulong step) => new()
    {
        Step = step,
        Actions_ = { new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = "hi" } } },
    };

    private static async Task<(List<uint> Loops, V1.MatchEnd End)> PlayAsync(StandInGame game, MatchSettings settings)
    {
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = new StarCraftSource(settings, server.Address);
        await source.StartAsync(Ct);
        var loops = new List<uint>();
        while (await source.NextAsync(Ct) is { } frame)
        {
            Assert.Equal((ulong)loops.Count, frame.Header.Step);
            Assert.Equal(
                frame.Header.GameLoop,
                ResponseObservation.Parser.ParseFrom(frame.Observation.Span).Observation.GameLoop);
            loops.Add(frame.Header.GameLoop);
            frame.Release();
        }

        return (loops, source.End!);
    }
}
