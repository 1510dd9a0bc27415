using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.StarCraft;

/// <summary>A match of two sides on two simulated games, over real ports.</summary>
public sealed class MultiplayerSourceTests
{
    private static readonly MatchSettings _settings = new()
    {
        Players = [PlayerSpec.Agent(Race.Zerg), PlayerSpec.Agent(Race.Terran)],
        Seed = 4,
    };

    [Theory]
    [InlineData(4, 4)]
    [InlineData(1, 8)]
    [InlineData(7, 3)]
    public async Task Sides_of_any_step_sizes_play_to_one_result(uint first, uint second)
    {
        var options = new SimulatorOptions { LongestMatch = 100 };
        await using var one = await SimulatedGameServer.StartAsync(options, Ct);
        await using var two = await SimulatedGameServer.StartAsync(options, Ct);
        await using var match = Match(
            (_settings with { StepSize = first }, one.Port), (_settings with { StepSize = second }, two.Port));
        using var hub = new Hub(new HubOptions());
        using var heard = hub.Subscribe(new V1.SubscribeRequest { Perspective = 2 }, new SubscriberInfo("test", false));
        var runner = new MatchRunner(match, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(Ct);

        var description = match.Description;
        Assert.Equal([1u, 2], description.Perspectives);
        Assert.Equal(
            ["1 Agent Zerg", "2 Agent Terran"],
            description.Players.Select(player => $"{player.PlayerId} {player.Kind} {player.Race}"));
        Assert.NotEqual(
            match.GameInfo![1].StartRaw.StartLocations.Single(), match.GameInfo[2].StartRaw.StartLocations.Single());
        var end = await runner.RunAsync(Ct);
        Assert.Equal((V1.EndReason.Finished, false), (end.Reason, end.Aborted));
        Assert.Equal([1u, 2], end.Results.Select(result => result.PlayerId));
        Assert.InRange(end.GameLoop, 100u, 107u);
        var frames = new List<FrameHeader>();
        while (await heard.ReadAsync(Ct) is { Frame: { } frame } delivery)
        {
            frames.Add(frame.Header);
            delivery.Release();
        }

        Assert.All(frames, frame => Assert.Equal(2u, frame.Perspective));
        Assert.Equal(frames.Select((_, step) => (ulong)step), frames.Select(frame => frame.Step));
        Assert.Equal(second, frames[1].GameLoop);
    }

    [Fact]
    public async Task A_step_limit_ends_both()
    {
        await using var one = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await using var two = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await using var match = Match((_settings, one.Port), (_settings, two.Port));
        using var hub = new Hub(new HubOptions());
        var runner = new MatchRunner(match, hub, StepRate.Max, stepLimit: 9) { NextFollows = true };
        await runner.StartAsync(Ct);
        var end = await runner.RunAsync(Ct);
        Assert.Equal((V1.EndReason.StepLimit, false, true, 8ul), (end.Reason, end.Aborted, end.NextFollows, end.Step));
        Assert.Equal(18ul, runner.Progress.Frames);
    }

    [Fact]
    public async Task The_game_of_one_that_fails_ends_the_match_of_both_with_the_reason()
    {
        await using var one = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var two = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await using var match = Match((_settings, one.Port), (_settings, two.Port));
        using var hub = new Hub(new HubOptions());
        using var heard = hub.Subscribe(
            new V1.SubscribeRequest { Perspective = 1, Policy = V1.Policy.Latest }, new SubscriberInfo("test", false));
        var runner = new MatchRunner(match, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(Ct);
        var run = runner.RunAsync(Ct);
        (await heard.ReadAsync(Ct)).Release();
        await two.DisposeAsync();
        var end = await run;
        Assert.True(end.Aborted);
        Assert.StartsWith("Player 2's game failed: The game", end.Detail, StringComparison.Ordinal);
        Assert.Empty(end.Results);
        Delivery last;
        while ((last = await heard.ReadAsync(Ct)).Frame is not null)
        {
            last.Release();
        }

        Assert.Equal(end, last.Event!.MatchEnd);
    }

    [Fact]
    public async Task A_side_that_cannot_start_gives_the_other_up()
    {
        await using var one = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await using var two = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var nowhere = _settings with { Map = "Nowhere LE" };
        await using var match = Match((nowhere, one.Port), (nowhere, two.Port));
        var problem = await Assert.ThrowsAsync<GameException>(() => match.StartAsync(Ct));
        Assert.Contains("Nowhere LE", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Different_versions_of_games_are_detected_before_they_are_joined()
    {
        await using var old = Versioned("5.0.13");
        await using var current = Versioned("5.0.14");
        await using var match = Match((_settings, old.Address.Port), (_settings, current.Address.Port));
        var problem = await Assert.ThrowsAsync<GameException>(() => match.StartAsync(Ct));
        Assert.Contains("different versions", problem.Message, StringComparison.Ordinal);
        Assert.Contains("5.0.13", problem.Message, StringComparison.Ordinal);
        Assert.Contains("5.0.14", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_game_that_waits_for_the_others_client_does_not_hang()
    {
        var others = long.MaxValue;
        await using var game = ScriptedGame.Start(connection => connection.ServeAsync(request =>
            request.Step is null ? new StandInGame().Answer(request) : null));
        await using var source = new StarCraftSource(
            _settings with { Players = [PlayerSpec.Agent(Race.Zerg)] }, game.Address);
        await using var client = new GameClient(
            await GameConnector.OpenAsync(game.Address, TimeSpan.FromMinutes(1), gone: null, Ct),
            new GameClientOptions { RequestTimeout = TimeSpan.FromMilliseconds(40) });
        client.OthersWaitSinceNs = () => Volatile.Read(ref others);
        var stepped = client.ExchangeAsync(new Request { Step = new RequestStep() }, Ct);
        Assert.NotNull(client.WaitingSinceNs);
        await Task.Delay(TimeSpan.FromMilliseconds(200), Ct);
        Assert.False(stepped.IsCompleted);
        Volatile.Write(ref others, 0);
        var problem = await Assert.ThrowsAsync<GameException>(() => stepped);
        Assert.Contains("no answer to step", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_kept_game_that_hangs_is_noticed_also_after_the_others_was_started_again()
    {
        await using var kept = new KeptGame();
        await using var game = Silent(1);
        await using (var first = Silent(2))
        {
            await using var before = Series(game, kept, first);
            await before.StartAsync(Ct);
        }

        await using var second = Silent(2);
        await using var match = Series(game, kept, second);
        await match.StartAsync(Ct);
        foreach (var side in match.Sides)
        {
            (await side.NextAsync(Ct))!.Release();
        }

        _ = match.Sides[1].NextAsync(Ct).AsTask();
        var problem = await Assert.ThrowsAsync<GameException>(
            () => match.Sides[0].NextAsync(Ct).AsTask().WaitAsync(TimeSpan.FromSeconds(30), Ct));
        Assert.Contains("no answer to step", problem.Message, StringComparison.Ordinal);

        static MultiplayerSource Series(ScriptedGame game, KeptGame kept, ScriptedGame other)
        {
            var shared = new SharedMatch(2);
            var impatient = new GameClientOptions { RequestTimeout = TimeSpan.FromMilliseconds(200) };
            return new MultiplayerSource([
                new StarCraftSource(_settings, game.Address, impatient, new PlayerSlot(0, shared), kept),
                new StarCraftSource(_settings, other.Address, slot: new PlayerSlot(1, shared)),
            ]);
        }

        // It answers nothing from the first step on.
        static ScriptedGame Silent(uint player)
        {
            var (game, hangs) = (new StandInGame(), false);
            return ScriptedGame.Start(connection => connection.ServeAsync(request =>
            {
                hangs |= request.Step is not null;
                var answer = hangs ? null : game.Answer(request);
                if (answer?.JoinGame is { } joined)
                {
                    joined.PlayerId = player;
                }

                return answer;
            }));
        }
    }

    [Fact]
    public async Task A_port_that_another_program_takes_is_exchanged_for_another()
    {
        using var taker = new System.Net.Sockets.TcpListener(System.Net.IPAddress.Loopback, 0);
        taker.Start();
        var taken = ((System.Net.IPEndPoint)taker.LocalEndpoint).Port;
        var asked = 0;
        var shared = new SharedMatch(2, count => ++asked == 1 ? [taken, taken, taken, taken] : FreePorts.Find(count));
        var options = new SimulatorOptions { LongestJoin = TimeSpan.FromSeconds(1) };
        await using var one = await SimulatedGameServer.StartAsync(options, Ct);
        await using var two = await SimulatedGameServer.StartAsync(options, Ct);
        await using var match = Match(shared, (_settings, one.Port), (_settings, two.Port));
        await match.StartAsync(Ct);
        Assert.Equal(2, asked);
    }

    private static ScriptedGame Versioned(string version) => ScriptedGame.Start(connection => connection.ServeAsync(
        new StandInGame
        {
            Override = (request, _) => request.Ping is null
                ? null
                : new Response { Ping = new ResponsePing { GameVersion = version }, Status = Status.Launched },
        }.Answer));

    private static MultiplayerSource Match(params (MatchSettings Settings, int Port)[] sides) =>
        Match(new SharedMatch(sides.Length), sides);

    private static MultiplayerSource Match(SharedMatch shared, params (MatchSettings Settings, int Port)[] sides) =>
        new([
            .. sides.Select((side, number) => new StarCraftSource(
                side.Settings, new GameAddress("127.0.0.1", side.Port), slot: new PlayerSlot(number, shared))),
        ]);
}
