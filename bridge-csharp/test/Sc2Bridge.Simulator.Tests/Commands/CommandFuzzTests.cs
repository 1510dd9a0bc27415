using FsCheck;
using FsCheck.Fluent;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Tests.World;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Tests.Commands;

/// <summary>Whatever is asked, the world's rules hold.</summary>
public sealed class CommandFuzzTests
{
    [Theory]
    [InlineData(Race.Terran)]
    [InlineData(Race.Zerg)]
    [InlineData(Race.Protoss)]
    public void No_commands_break_the_rules(Race race) =>
        Prop.ForAll(Gen.Choose(0, int.MaxValue - 1).ToArbitrary(), seed => Play(race, seed))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(12));

    private static void Play(Race race, int seed)
    {
        var random = new Random(seed);
        var game = new TestWorld(race, (uint)seed).Rich(random.Next(3000), random.Next(2000));
        foreach (var type in TechTree.Units.Where(u => u.Race == race && u.MadeBy is not null
            && u.Footprint is > 0 and < 5))
        {
            if (random.Next(3) == 0 && !type.Is(Kind.Refinery | Kind.AddOn) && type.Health > 0)
            {
                PutSomewhere(game, type, random);
            }
        }

        for (var i = 0; i < 400 && !game.World.Ended; i++)
        {
            for (var j = random.Next(4); j > 0; j--)
            {
                var command = Any(game, random);
                var check = Commander.Check(game.World, game.Player, command);
                var did = Commander.Command(game.World, game.Player, command);
                Assert.Equal(check, did);
            }

            if (random.Next(40) == 0)
            {
                var units = game.World.Units;
                game.World.Remove(units[random.Next(units.Count)], died: true);
            }

            game.Step(random.Next(1, 12));
            Rules(game);
        }
    }

    private static void PutSomewhere(TestWorld game, UnitType type, Random random)
    {
        for (var tries = 0; tries < 20; tries++)
        {
            var (x, y) = Sites.Snap(
                type, game.Start.X + (random.Next(-14, 15) * Geometry.Cell),
                    game.Start.Y + (random.Next(-14, 15) * Geometry.Cell));
            if (game.World.Ground.Fits(type.Footprint, x, y))
            {
                game.World.Add(type, 1, x, y);
                return;
            }
        }
    }

    private static ActionRawUnitCommand Any(TestWorld game, Random random)
    {
        var units = game.World.Units;
        var own = units.Where(u => u.Alive && u.Owner == 1).ToArray();
        var unit = own.Length > 0 ? own[random.Next(own.Length)] : units[0];
        var abilities = unit.Type.Abilities;
        var ability = random.Next(8) == 0 || abilities.Count == 0
            ? TechTree.Abilities[random.Next(TechTree.Abilities.Length)]
            : abilities[random.Next(abilities.Count)].Ability;
        var command = new ActionRawUnitCommand
        {
            AbilityId = random.Next(3) == 0
                && ability.RemapsTo != 0 ? ability.RemapsTo : random.Next(10) == 0 ? 3659 : ability.Id,
            QueueCommand = random.Next(4) == 0,
            UnitTags = { unit.Tag },
        };
        for (var more = random.Next(6) - 3; more > 0; more--)
        {
            command.UnitTags.Add(units[random.Next(units.Count)].Tag);
        }

        switch (random.Next(3))
        {
            case 0:
                command.TargetUnitTag = units[random.Next(units.Count)].Tag;
                break;
            case 1:
                command.TargetWorldSpacePos = new Point2D
                {
                    X = (game.Start.X / 4096f) + random.Next(-12, 13) + (random.Next(2) / 2f),
                    Y = (game.Start.Y / 4096f) + random.Next(-12, 13) + (random.Next(2) / 2f),
                };
                break;
        }

        return command;
    }

    private static void Rules(TestWorld game)
    {
        var world = game.World;
        foreach (var player in world.Players)
        {
            Assert.True(player.Minerals >= 0 && player.Vespene >= 0, $"{player.Minerals} {player.Vespene}");
            var own = world.Units.Where(u => u.Alive && u.Owner == player.Id).ToArray();
            Assert.Equal(own.Sum(u => u.Type.HalfFood + u.HeldFood), player.HalfFoodUsed);
            Assert.InRange(player.HalfFoodUsed, 0, Supply.Most);
            Assert.InRange(player.FoodCap, 0, 200);
            Assert.Equal(own.GroupBy(u => u.Type.Index).ToDictionary(g => g.Key, g => g.Count()),
                Enumerable.Range(0, player.Count.Length).Where(i => player.Count[i] > 0).ToDictionary(i => i, i =>
                    player.Count[i]));
        }

        foreach (var unit in world.Units)
        {
            Assert.InRange(unit.X, 0, (world.Map.Width * Geometry.Cell) - 1);
            Assert.InRange(unit.Y, 0, (world.Map.Height * Geometry.Cell) - 1);
            Assert.InRange(unit.Health, 0, unit.MostHealth);
            Assert.InRange(unit.Queue.Count, 0, Production.Room(unit) + 3);
            Assert.True(unit.Contents >= 0);
        }
    }
}
