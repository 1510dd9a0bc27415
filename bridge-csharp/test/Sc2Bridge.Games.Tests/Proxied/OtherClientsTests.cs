using System.Net.WebSockets;

namespace Sc2Bridge.Games.Tests.Proxied;

/// <summary>
/// The requests of PySC2, cpp-sc2 and Sharky in their order, framed as their WebSocket clients do. They follow the projects' sources,
/// which each test names. python-sc2 itself plays in test/PythonSc2.
/// </summary>
public sealed class OtherClientsTests
{
    private const byte Text = 1;
    private const byte Binary = 2;

    /// <summary>
    /// google-deepmind/pysc2, env/sc2_env.py: <c>_launch_sp</c>, <c>_create_join</c>, <c>reset</c>, <c>step</c> and
    /// <c>close</c>, after lib/remote_controller.py and lib/protocol.py. websocket-client masks its frames, and marks them all as text.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task PySC2_plays_an_episode(bool realtime)
    {
        await using var match = await ProxiedGame.StartAsync();
        using var bot = await PlainSocket.ConnectAsync(
            match.Source.Address.Port, Text, masked: true,
            "GET /sc2api HTTP/1.1", "Upgrade: websocket", $"Host: 127.0.0.1:{match.Source.Address.Port}",
            $"Origin: http://127.0.0.1:{match.Source.Address.Port}", "Sec-WebSocket-Key: aGVsbG8gZnJvbSBQeVNDMg==",
            "Sec-WebSocket-Version: 13", "Connection: Upgrade");
        uint count = 0;
        await AskAsync(new Request { Ping = new() }, Status.Launched);
        var create = Asks.Create(realtime);
        create.CreateGame.LocalMap.MapData = ByteString.CopyFrom(new byte[300]); // PySC2 always sends the map itself
        Assert.False((await AskAsync(create, Status.InitGame)).CreateGame.HasError);
        var join = Asks.Join();
        join.JoinGame.PlayerName = "<unknown>";
        Assert.Equal(1u, (await AskAsync(join)).JoinGame.PlayerId);
        Assert.NotNull((await AskAsync(new Request { GameInfo = new() })).GameInfo.Options);
        await match.Started;
        var run = match.RunAsync();
        await AskAsync(new Request { Data = new() { AbilityId = true, UnitTypeId = true, UpgradeId = true } });

        var seen = await AskAsync(new Request { Observation = new() { GameLoop = 0, DisableFog = false } });
        var worker = seen.Observation.Observation.RawData.Units.First(unit => unit.UnitType == 45).Tag;
        for (uint loop = 200; loop <= 600; loop += 200)
        {
            var act = new Request { Action = new() };
            act.Action.Actions.Add(Stop(worker));
            Assert.Equal([ActionResult.Success], (await AskAsync(act)).Action.Result);
            if (!realtime)
            {
                // 200 makes the message invalid UTF-8, as most of PySC2's messages are.
                Assert.Equal(loop, (await AskAsync(Asks.Step(200))).Step.SimulationLoop);
            }

            var at = await AskAsync(new Request { Observation = new() { GameLoop = realtime ? loop / 200 : loop } });
            Assert.True(at.Observation.Observation.GameLoop >= (realtime ? 1 : loop));
        }

        // PySC2 sends a quit, does not wait for its answer, and closes its connection at once.
        await bot.SendAsync(new Request { Quit = new(), Id = 999_999_999 });
        bot.Dispose();
        var end = await run;
        Assert.Equal(("the bot left the game", false), (end.Detail, end.Aborted));
        Assert.False(match.Game.Ended.IsCompleted);

        // PySC2's protocol checks each answer: a status, no error, and the id if it is set.
        async Task<Response> AskAsync(Request request, Status status = Status.InGame)
        {
            request.Id = ++count;
            var answer = await bot.AskAsync(request);
            Assert.Equal((request.Id, status), (answer.Id, answer.Status));
            Assert.Empty(answer.Error);
            return answer;
        }
    }

    /// <summary>
    /// cpp-sc2: sc2_coordinator.cc (<c>StartGame</c>, <c>JoinGame</c>, <c>StepAgents</c>), sc2_client.cc and
    /// sc2_proto_interface.cc. sc2_connection.cc connects with civetweb's <c>mg_connect_websocket_client</c> and writes with
    /// <c>mg_websocket_write</c>. That function is for servers, so nothing is masked. No request has an id.
    /// </summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Cpp_sc2_plays_a_match(bool ladder)
    {
        await using var match = await ProxiedGame.StartAsync();
        using var bot = await PlainSocket.ConnectAsync(
            match.Source.Address.Port, Binary, masked: false,
            "GET /sc2api HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==", "Sec-WebSocket-Version: 13");
        await AskAsync(new Request { Ping = new() });
        var join = Asks.Join();
        join.JoinGame.PlayerName = "bot";
        join.JoinGame.Options.ShowCloaked = join.JoinGame.Options.ShowBurrowedShadows = true;
        join.JoinGame.Options.ShowPlaceholders = join.JoinGame.Options.RawAffectsSelection = true;
        if (ladder)
        {
            // Also against a computer, if its manager gives it a start port.
            join.JoinGame.SharedPort = 5691;
            join.JoinGame.ServerPorts = new() { GamePort = 5692, BasePort = 5693 };
            join.JoinGame.ClientPorts.Add(new PortSet { GamePort = 5694, BasePort = 5695 });
        }
        else
        {
            Assert.False((await AskAsync(Asks.Create())).CreateGame.HasError);
        }

        Assert.Equal(1u, (await AskAsync(join)).JoinGame.PlayerId);
        await match.Started;
        var run = match.RunAsync();
        var seen = await AskAsync(Asks.Observe());
        await AskAsync(new Request { GameInfo = new() });
        foreach (var data in new RequestData[]
            {
                new() { UnitTypeId = true }, new() { AbilityId = true }, new() { UpgradeId = true },
                new() { BuffId = true }, new() { EffectId = true },
            })
        {
            Assert.NotNull((await AskAsync(new Request { Data = data })).Data);
        }

        var query = new RequestQuery { IgnoreResourceRequirements = true };
        query.Abilities.AddRange(seen.Observation.Observation.RawData.Units
            .Where(unit => unit.Alliance == Alliance.Self)
            .Select(unit => new RequestQueryAvailableAbilities { UnitTag = unit.Tag }));
        Assert.Equal(query.Abilities.Count, (await AskAsync(new Request { Query = query })).Query.Abilities.Count);
        for (uint loop = 1; loop <= 20; loop++)
        {
            Assert.Equal(loop, (await AskAsync(Asks.Step())).Step.SimulationLoop);
            Assert.Equal(loop, (await AskAsync(Asks.Observe())).Observation.Observation.GameLoop);
            var draw = new DebugDraw { Text = { new DebugText { Text = $"{loop}" } } };
            await AskAsync(new Request { Debug = new() { Debug = { new DebugCommand { Draw = draw } } } });
        }

        Assert.NotEmpty((await AskAsync(new Request { SaveReplay = new() })).SaveReplay.Data);
        await bot.SendAsync(new Request { Quit = new() });
        bot.Dispose();
        var end = await run;
        Assert.Equal(("the bot left the game", 20u), (end.Detail, end.GameLoop));

        // cpp-sc2's ProtoInterface checks each answer: the requested kind, and no error.
        async Task<Response> AskAsync(Request request)
        {
            var answer = await bot.AskAsync(request);
            Assert.Equal(((int)request.RequestCase, false), ((int)answer.ResponseCase, answer.HasId));
            Assert.Empty(answer.Error);
            return answer;
        }
    }

    /// <summary>
    /// Sharky/Setup/GameConnection.cs, <c>RunLadder</c> (join) and <c>RunSinglePlayer</c> (create, join), with
    /// ProtobufProxy.cs: .NET's ClientWebSocket. It requests feature layers in addition to raw data, which the simulated
    /// game refuses. It reads its result from the observation with the status "ended".
    /// </summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Sharky_plays_a_match_to_its_end(bool ladder)
    {
        await using var match = await ProxiedGame.StartAsync();
        using var bot = await match.ConnectAsync();
        await bot.AskAsync(new Request { Ping = new() });
        if (!ladder)
        {
            await bot.AskAsync(Asks.Create());
        }

        var join = Asks.Join(Race.Protoss);
        join.JoinGame.Options = new()
        {
            Raw = true,
            Score = true,
            ShowCloaked = true,
            ShowBurrowedShadows = true,
            RawCropToPlayableArea = true,
            RawAffectsSelection = true,
            FeatureLayer = new()
            {
                CropToPlayableArea = true,
                AllowCheatingLayers = false,
                Width = 10,
                MinimapResolution = new() { X = 16, Y = 16 },
                Resolution = new() { X = 128, Y = 128 },
            },
        };
        if (ladder)
        {
            (join.JoinGame.PlayerName, join.JoinGame.HostIp, join.JoinGame.SharedPort) = ("bot", "127.0.0.1", 5691);
            join.JoinGame.ServerPorts = new() { GamePort = 5692, BasePort = 5693 };
            join.JoinGame.ClientPorts.Add(new PortSet { GamePort = 5694, BasePort = 5695 });
        }

        var joined = await AskInPiecesAsync(bot, join);
        Assert.Equal(1u, joined.JoinGame.PlayerId);
        await match.Started;
        var run = match.RunAsync();
        await bot.AskAsync(new Request { GameInfo = new() });
        await bot.AskAsync(new Request { Data = new() { UnitTypeId = true, AbilityId = true, BuffId = true } });
        await bot.AskAsync(new Request { Ping = new() });
        var seen = await bot.AskAsync(Asks.Observe());
        for (var step = 1; seen.Status != Status.Ended; step++)
        {
            if (step == 10)
            {
                // A debug request ends the match, so that the test is short.
                var win = new DebugCommand
                {
                    EndGame = new() { EndResult = DebugEndGame.Types.EndResult.DeclareVictory },
                };
                await bot.AskAsync(new Request { Debug = new() { Debug = { win } } });
            }

            var act = new Request { Action = new() };
            act.Action.Actions.Add(Stop(seen.Observation.Observation.RawData.Units[0].Tag));
            await AskInPiecesAsync(bot, act);
            await bot.AskAsync(Asks.Step());
            seen = await bot.AskAsync(Asks.Observe());
            Assert.NotNull(seen.Observation);
        }

        // Sharky reads its result from this answer. The simulated game sends it with the next observation, as the real game may do.
        seen = await bot.AskAsync(Asks.Observe());
        Assert.Equal(Result.Victory, seen.Observation.PlayerResult[0].Result);
        await bot.AskAsync(Asks.Leave());
        Assert.Equal(V1.EndReason.Finished, (await run).Reason);
    }

    private static SC2APIProtocol.Action Stop(ulong unit)
    {
        var command = new ActionRawUnitCommand { AbilityId = 3665 };
        command.UnitTags.Add(unit);
        return new SC2APIProtocol.Action { ActionRaw = new() { UnitCommand = command } };
    }

    // ClientWebSocket may split a message into several frames.
    private static async Task<Response> AskInPiecesAsync(GameSocket bot, Request request)
    {
        var bytes = request.ToByteArray();
        await bot.Socket.SendAsync(bytes.AsMemory(0, 1), WebSocketMessageType.Binary, endOfMessage: false, Ct);
        await bot.Socket.SendAsync(bytes.AsMemory(1), WebSocketMessageType.Binary, endOfMessage: true, Ct);
        return await bot.ReceiveAsync();
    }
}
