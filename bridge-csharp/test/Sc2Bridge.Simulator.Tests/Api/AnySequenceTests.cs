using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Tests.Observing;
using Sc2Bridge.Simulator.Tests.World;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Simulator.Tests.Api;

/// <summary>No sequence of requests, valid or not, breaks the game or the world's rules.</summary>
public sealed class AnySequenceTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    public void No_sequence_of_requests_breaks_the_world(int seed)
    {
        var random = new Random(seed);
        var game = new SimulatedGame(new SimulatorOptions { LongestMatch = 3000 }, new NoFiles());
        var made = new AnyMessage(random);
        for (var i = 0; i < 1500; i++)
        {
            var request = Next(random, made, game);
            var before = game.Status;
            game.Begin(request, Ct);
            var bytes = new System.Buffers.ArrayBufferWriter<byte>();
            if (!game.TryFinish(bytes))
            {
                // Only joining a game for two waits, and no second player joins here.
                Assert.Equal(Kind.JoinGame, request.RequestCase);
                game.Abandon();
                continue;
            }

            var response = Response.Parser.ParseFrom(bytes.WrittenSpan);
            Assert.True(response.HasStatus);
            if (response.ResponseCase == Response.ResponseOneofCase.None)
            {
                Assert.NotEmpty(response.Error);
                var stays = before == response.Status || response.Status == Status.Ended;
                Assert.True(stays, $"{request} in {before}: {response}");
            }

            AssertRules(game, random);
        }
    }

    private static Request Next(Random random, AnyMessage made, SimulatedGame game)
    {
        var request = random.Next(10) switch
        {
            0 when random.Next(3) == 0 => new Request { CreateGame = Game.Create((uint)random.Next()) },
            0 => new Request { CreateGame = Game.CreateForOne((uint)random.Next()) },
            1 when random.Next(2) == 0 => new Request { JoinGame = Game.Join((uint)random.Next(4)) },
            1 => new Request { JoinGame = Game.JoinAs((Race)random.Next(1, 5)) },
            2 => new Request { Step = new RequestStep { Count = (uint)random.Next(8) } },
            3 or 4 => new Request { Action = Acting(random, made, game) },
            5 => new Request { Debug = Debugging(random, made, game) },
            _ => made.Of<Request>(),
        };
        var endless = request.RequestCase is Kind.Quit || request.Step?.Count > 8
            || request.CreateGame?.Realtime == true || request.StartReplay?.Realtime == true;
        return endless ? new Request { Ping = new RequestPing() } : request;
    }

    // Mostly plausible commands: for existing units, at places on the map.
    internal static RequestAction Acting(Random random, AnyMessage made, SimulatedGame game)
    {
        var request = new RequestAction();
        for (var i = 0; i < 4; i++)
        {
            var action = made.Of<SC2APIProtocol.Action>();
            if (game.Match is { } match && match.World.Units.Count > 0 && random.Next(4) > 0)
            {
                var units = match.World.Units;
                var unit = units[random.Next(units.Count)];
                var abilities = unit.Type.Abilities;
                var command = new ActionRawUnitCommand
                {
                    AbilityId = abilities.Length > 0
                        ? abilities[random.Next(abilities.Length)].Ability.Id
                        : random.Next(4200),
                    UnitTags = { unit.Tag },
                    QueueCommand = random.Next(2) == 0,
                };
                switch (random.Next(3))
                {
                    case 0:
                        command.TargetUnitTag = units[random.Next(units.Count)].Tag;
                        break;
                    case 1:
                        command.TargetWorldSpacePos = Game.At(random.Next(-5, 200), random.NextSingle() * 200);
                        break;
                }

                action = new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = command } };
            }

            request.Actions.Add(action);
        }

        return request;
    }

    internal static RequestDebug Debugging(Random random, AnyMessage made, SimulatedGame game)
    {
        var request = made.Of<RequestDebug>();
        request.Debug.Add(new DebugCommand { GameState = (DebugGameState)random.Next(1, 13) });
        if (game.Match is { World.Units.Count: > 0 } match)
        {
            var unit = match.World.Units[random.Next(match.World.Units.Count)];
            var types = Facts.TechTree.Units;
            request.Debug.Add(new DebugCommand
            {
                CreateUnit = new DebugCreateUnit
                {
                    UnitType = (uint)types[random.Next(types.Length)].Id,
                    Owner = random.Next(0, 3),
                    Pos = Game.At(random.Next(160), random.Next(160)),
                    Quantity = (uint)random.Next(4),
                },
            });
            request.Debug.Add(new DebugCommand { KillUnit = new DebugKillUnit { Tag = { unit.Tag } } });
        }

        for (var i = request.Debug.Count - 1; i >= 0; i--)
        {
            var ends = request.Debug[i].EndGame is not null && random.Next(4) > 0;
            if (ends || request.Debug[i].TestProcess is not null)
            {
                request.Debug.RemoveAt(i);
            }
        }

        return request;
    }

    // Checks the world between two requests, and each viewer's observation.
    private static void AssertRules(SimulatedGame game, Random random)
    {
        if (game.Match is not { World: var world })
        {
            return;
        }

        WorldRules.Assert(world, given: true);
        if (random.Next(10) == 0)
        {
            var options = new InterfaceOptions
            {
                Raw = true,
                ShowCloaked = true,
                ShowBurrowedShadows = true,
                ShowPlaceholders = true,
                RawCropToPlayableArea = random.Next(2) == 0,
            };
            for (var viewer = 0; viewer <= world.Players.Length; viewer++)
            {
                var units = world.By(viewer, options, disableFog: random.Next(2) == 0).Observation.RawData.Units;
                Assert.Distinct(units.Select(u => u.Tag));
                Assert.All(units, u => Assert.True(float.IsFinite(u.Pos.X + u.Pos.Y + u.Pos.Z + u.BuildProgress)));
            }
        }
    }

    private sealed class NoFiles : IGameFiles
    {
        public byte[]? ReadReplay(string path) => null;
    }
}
