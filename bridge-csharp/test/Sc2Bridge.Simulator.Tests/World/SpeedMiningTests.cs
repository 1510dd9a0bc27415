using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Tests.World;

/// <summary>
/// Bots that move their workers to the exact mining distance from the field's middle: 1.325 (sharpy-sc2 7f40701,
/// sharpy/plans/tactics/speed_mining.py:12) to 1.35 (ares-sc2 04a539d, src/ares/managers/resource_manager.py:41).
/// </summary>
public sealed class SpeedMiningTests
{
    private const int Smart = 1;
    private const int Move = 16;
    private const int Gather = 3666;
    private const int Return = 3667;
    private const int Minute = 1344;

    /// <summary>A bot's commands in one loop.</summary>
    private delegate void Steering(TestWorld game, Unit worker, Unit field);

    [Fact]
    public void Workers_mine_where_bots_expect_them()
    {
        var game = new TestWorld(Race.Terran);
        var (began, there) = (0, 0);
        for (var loop = 0; loop < 400; loop++)
        {
            var before = game.World.Units.Where(Works).ToHashSet();
            game.Step(1);
            foreach (var worker in game.World.Units.Where(unit => Works(unit) && !before.Contains(unit)))
            {
                // A worker that finds its field occupied may already be nearer to the next field.
                began++;
                Assert.InRange(Far(worker, worker.Order!.Target!), 0.8, 1.3501);
                there += Far(worker, worker.Order!.Target!) >= 1.325 ? 1 : 0;
            }
        }

        Assert.InRange(began, 24, 100);
        Assert.InRange(there, began * 3 / 4, began);

        static bool Works(Unit unit) => unit.Order is { Phase: Mining.Working } order && Fields.IsAt(unit, order.Target!);
    }

    [Theory]
    [InlineData(1.325)]
    [InlineData(1.35)]
    public void A_worker_that_was_moved_to_a_field_mines_from_there(double distance)
    {
        var game = new TestWorld(Race.Terran);
        game.Step(1);
        var (worker, field) = (game.Worker, game.Worker.Order!.Target!);
        var (x, y) = Towards(field, game.Hall, distance);
        Assert.Equal(ActionResult.Success, game.Order(worker, Move, CommandTarget.At(x, y)));
        Assert.Equal(ActionResult.Success, game.Order(worker, Gather, CommandTarget.Of(field), queued: true));
        Assert.True(game.StepUntil(() => worker.Order?.Phase == Mining.Working, 200));
        Assert.InRange(Geometry.Length(worker.X - x, worker.Y - y), 0, 8);
    }

    /// <summary>Bots move workers to both distances from the geyser, and order them to gather from there.</summary>
    [Fact]
    public void A_worker_at_the_edge_of_a_refinery_collects_gas()
    {
        var game = new TestWorld(Race.Terran).Rich();
        var refinery = Refinery(game);
        var worker = game.Worker;
        var (x, y) = Towards(refinery, game.Hall, (refinery.Type.Radius + worker.Type.Radius) / 4096.0);
        (worker.X, worker.Y) = (x, y);
        Assert.Equal(ActionResult.Success, game.Order(worker, Gather, CommandTarget.Of(refinery)));
        game.Step(1);
        Assert.Same(refinery, worker.Carrier);
    }

    [Fact]
    public void Sharkys_workers_mine_as_much_as_others() => Compare(Sharky, 0.97);

    [Fact]
    public void Sharpys_workers_mine_as_much_as_others() => Compare(Sharpy, 0.97);

    // Compares the income of four minutes with that of workers without commands. Two of twelve workers mine gas. Commands
    // help more here than in the game, because units here do not turn or brake.
    private static void Compare(Steering steering, double part)
    {
        var (minerals, vespene) = Mined(null);
        var (steeredMinerals, steeredVespene) = Mined(steering);
        Assert.InRange(steeredMinerals, minerals * part, minerals * 1.5);
        Assert.InRange(steeredVespene, vespene * part, vespene * 1.5);
    }

    private static (int Minerals, int Vespene) Mined(Steering? steering)
    {
        var game = new TestWorld(Race.Terran).Rich(0, 0);
        var refinery = Refinery(game);
        var workers = game.World.Units.Where(u => u.Owner == 1 && u.Type.Is(Kind.Worker)).ToArray();
        Assert.All(workers[..2], w => Assert.Equal(ActionResult.Success, game.Order(w, Gather, CommandTarget.Of(refinery))));
        game.Step(200);
        var fields = workers.ToDictionary(worker => worker, worker => worker.Mines!);
        var before = (game.Player.Minerals, game.Player.Vespene);
        for (var loop = 0; loop < 4 * Minute; loop++)
        {
            foreach (var worker in steering is null ? [] : workers.Where(worker => worker.Present))
            {
                steering!(game, worker, fields[worker]);
            }

            game.Step(1);
        }

        return (game.Player.Minerals - before.Minerals, game.Player.Vespene - before.Vespene);
    }

    // Sharky 7232feb: MineralMiner.cs:49-107 and GasMiner.cs:60-105 of Sharky/MicroTasks/Mining, with the places of
    // Sharky/MiningInfo.cs:13-17, which are inside the field and the town hall. Only repeated commands are left out.
    private static void Sharky(TestWorld game, Unit worker, Unit field)
    {
        var (harvest, drop) = (Place(Towards(field, game.Hall, 0.5)), Place(Towards(game.Hall, field, 2)));
        var (toField, toHall) = (Square(worker, field), Square(worker, game.Hall));
        var onPath = Crosses(worker, drop, harvest);
        var gas = field.Type.Is(Kind.Refinery);
        switch (worker.Load == Load.None)
        {
            case true when gas && onPath && toField >= 4:
                game.Order(worker, Move, harvest);
                break;
            case true when gas:
                game.Order(worker, Gather, CommandTarget.Of(field));
                break;
            case true when toField is < 2 or > 6 || !onPath:
                game.Order(worker, Gather, CommandTarget.Of(field));
                game.Order(worker, Move, drop, queued: true);
                break;
            case true:
                game.Order(worker, Move, harvest);
                game.Order(worker, Gather, CommandTarget.Of(field), queued: true);
                break;
            case false when gas && toHall is <= 25 and >= 10 && onPath:
                game.Order(worker, Move, drop);
                break;
            case false when gas:
                game.Order(worker, Return);
                break;
            case false when toHall > 20 || !onPath:
                game.Order(worker, Smart, CommandTarget.Of(game.Hall));
                break;
            case false when toHall < 10:
                game.Order(worker, Return);
                game.Order(worker, Move, harvest, queued: true);
                break;
            case false:
                game.Order(worker, Move, drop);
                game.Order(worker, Smart, CommandTarget.Of(game.Hall), queued: true);
                break;
        }
    }

    // sharpy-sc2 7f40701, sharpy/plans/tactics/speed_mining.py:52-77. It does not command workers at gas.
    private static void Sharpy(TestWorld game, Unit worker, Unit field)
    {
        if (worker.Orders.Count != 1 || field.Type.Is(Kind.Refinery))
        {
            return;
        }

        var returns = AbilityKinds.Of(worker.Order!.Ability) == AbilityKind.Return;
        if (!returns && worker.Order.Target?.Type.Is(Kind.Minerals) != true)
        {
            return;
        }

        var target = returns ? game.Hall : worker.Order.Target!;
        var (x, y) = returns ? Towards(target, worker, (target.Type.Radius + worker.Type.Radius) / 4096.0)
            : Towards(target, game.Hall, 1.325);
        if (Geometry.Length(worker.X - x, worker.Y - y) is > 3072 and < 8192)
        {
            game.Order(worker, Move, CommandTarget.At(x, y));
            game.Order(worker, Smart, CommandTarget.Of(target), queued: true);
        }
    }

    private static Unit Refinery(TestWorld game)
    {
        var geyser = game.World.Units.Where(u => u.Type.Is(Kind.Geyser))
            .MinBy(u => Geometry.Length(u.X - game.Start.X, u.Y - game.Start.Y))!;
        var refinery = game.World.Add(TechTree.Unit(20), 1, geyser.X, geyser.Y);
        (refinery.Home, refinery.Contents) = (geyser, geyser.Contents);
        return refinery;
    }

    // CollisionCalculator.cs:13-62: whether the path is less than two from the worker, and starts or ends there.
    private static bool Crosses(Unit worker, CommandTarget from, CommandTarget to)
    {
        double dx = (to.X - from.X) / 4096.0, dy = (to.Y - from.Y) / 4096.0;
        double fx = (from.X - worker.X) / 4096.0, fy = (from.Y - worker.Y) / 4096.0;
        double a = (dx * dx) + (dy * dy), b = 2 * ((fx * dx) + (fy * dy)), c = (fx * fx) + (fy * fy) - 4;
        var discriminant = (b * b) - (4 * a * c);
        return discriminant >= 0 && (IsOn(-Math.Sqrt(discriminant)) || IsOn(Math.Sqrt(discriminant)));

        bool IsOn(double root) => (-b + root) / (2 * a) is >= 0 and <= 1;
    }

    private static CommandTarget Place((int X, int Y) at) => CommandTarget.At(at.X, at.Y);

    private static (int X, int Y) Towards(Unit from, Unit to, double cells)
    {
        double dx = to.X - from.X, dy = to.Y - from.Y;
        var part = cells * 4096 / Math.Sqrt((dx * dx) + (dy * dy));
        return (from.X + (int)Math.Round(dx * part), from.Y + (int)Math.Round(dy * part));
    }

    private static double Far(Unit one, Unit other) => Math.Sqrt(Square(one, other));

    private static double Square(Unit one, Unit other)
    {
        double dx = (one.X - other.X) / 4096.0, dy = (one.Y - other.Y) / 4096.0;
        return (dx * dx) + (dy * dy);
    }
}
