namespace Sc2Bridge.Simulator.Tests.Commands;

public sealed class DebugCommandsTests
{
    private const uint Marine = 48;

    [Fact]
    public void Units_are_made_changed_and_killed()
    {
        var game = Game.Played();
        var home = game.Observe().Observation.Observation.RawData.Units.First(u => u.UnitType == 18);
        var place = new Point2D { X = home.Pos.X, Y = home.Pos.Y + 8 };
        game.Debug(Make(1, place, 3));
        game.Step();
        var marines = Marines(game);
        Assert.Equal(3, marines.Length);
        game.Debug(
            new DebugCommand { KillUnit = new DebugKillUnit { Tag = { marines[0].Tag } } },
            new DebugCommand { UnitValue = Value(marines[1].Tag, DebugSetUnitValue.Types.UnitValue.Life, 20) });
        game.Step();
        var seen = game.Observe().Observation.Observation.RawData;
        Assert.Equal([marines[0].Tag], seen.Event.DeadUnits);
        Assert.Equal(20, seen.Units.Single(u => u.Tag == marines[1].Tag).Health, 1f);
    }

    [Fact]
    public void A_unit_made_where_a_building_stands_stands_beside_it()
    {
        var game = Game.Played();
        var home = game.Observe().Observation.Observation.RawData.Units.First(u => u.UnitType == 18);
        game.Debug(Make(1, new Point2D { X = home.Pos.X, Y = home.Pos.Y }));
        game.Step();
        var made = Assert.Single(Marines(game));
        Assert.InRange(Math.Max(Math.Abs(made.Pos.X - home.Pos.X), Math.Abs(made.Pos.Y - home.Pos.Y)), 1.5f, 5);
    }

    [Fact]
    public void Gifts_are_given_and_switches_switch()
    {
        var game = Game.Played();
        game.Debug(
            new DebugCommand { GameState = DebugGameState.AllResources },
            new DebugCommand { GameState = DebugGameState.Minerals },
            new DebugCommand { GameState = DebugGameState.ShowMap });
        game.Step();
        var seen = game.Observe().Observation.Observation;
        Assert.InRange(seen.PlayerCommon.Minerals, 10_000u, 10_100u);
        Assert.InRange(seen.PlayerCommon.Vespene, 5_000u, 5_010u);
        Assert.Contains(seen.RawData.Units, u => u.Owner == 2);
        game.Debug(new DebugCommand { GameState = DebugGameState.ShowMap });
        game.Step();
        Assert.DoesNotContain(game.Observe().Observation.Observation.RawData.Units, u => u.Owner == 2);
    }

    [Fact]
    public void Invalid_debug_commands_are_skipped()
    {
        var game = Game.Played();
        game.Debug(
            new DebugCommand(),
            new DebugCommand { CreateUnit = new DebugCreateUnit() },
            Make(-3, Game.At(50, 50)),
            Make(1, Game.At(float.NaN, 0)),
            Make(1, Game.At(-1e9f, 0), uint.MaxValue),
            new DebugCommand { KillUnit = new DebugKillUnit { Tag = { 1, 2, ulong.MaxValue } } },
            new DebugCommand { UnitValue = Value(7, DebugSetUnitValue.Types.UnitValue.Energy, float.PositiveInfinity) },
            new DebugCommand { Score = new DebugSetScore { Score = 9 } });
        Assert.Equal(Status.InGame, game.Step().Status);
        Assert.Empty(Marines(game));
    }

    private static DebugCommand Make(int owner, Point2D place, uint quantity = 1) => new()
    {
        CreateUnit = new DebugCreateUnit { UnitType = Marine, Owner = owner, Pos = place, Quantity = quantity },
    };

    private static DebugSetUnitValue Value(ulong tag, DebugSetUnitValue.Types.UnitValue what, float value) =>
        new() { UnitTag = tag, UnitValue = what, Value = value };

    private static SC2APIProtocol.Unit[] Marines(Simulator.Api.SimulatedGame game) =>
        [.. game.Observe().Observation.Observation.RawData.Units.Where(u => u.UnitType == Marine && u.Owner == 1)];
}
