using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Commands;

/// <summary>The world's rules hold after any request.</summary>
public sealed class CommandFuzzTests
{
    [Theory]
    [Trait("Suite", "Slow")]
    [InlineData(Race.Terran)]
    [InlineData(Race.Zerg)]
    [InlineData(Race.Protoss)]
    public void No_commands_break_the_rules(Race race)
    {
        foreach (var seed in Seeds())
        {
            try
            {
                Play(race, seed);
            }
            catch (Exception broken)
            {
                throw new InvalidOperationException($"{race}, seed {seed}: {broken.Message}", broken);
            }
        }
    }

    // The same games each time. SC2BRIDGE_FUZZ=N plays N other games.
    private static IEnumerable<int> Seeds() =>
        int.TryParse(Environment.GetEnvironmentVariable("SC2BRIDGE_FUZZ"), out var others)
            ? Enumerable.Range(0, others).Select(_ => Random.Shared.Next())
            : Enumerable.Range(1, Cases.Of(6));

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

            for (var left = random.Next(1, 12); left > 0; left--)
            {
                game.Step(1);
                WorldRules.Assert(game.World, given: false);
            }
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
        var ability = random.Next(8) == 0 || abilities.Length == 0
            ? TechTree.Abilities[random.Next(TechTree.Abilities.Length)]
            : abilities[random.Next(abilities.Length)].Ability;
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
}
