using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class MovementTests
{
    private const int Marine = 48;
    private const int Medivac = 54;
    private const int Depot = 19;

    [Fact]
    public void A_way_is_found_round_a_cliff()
    {
        var arena = new Arena();
        var marine = arena.Add(Marine, 1, 69, 42);
        Arena.Tell(marine, Arena.MoveAbility, 69, 30);
        var straight = 12 * Arena.Cell / marine.Type.Speed;
        var loops = arena.RunUntil(() => marine.Orders.Count == 0, 1000);
        Assert.InRange(loops, straight * 3 / 2, 1000);
        Assert.InRange(Arena.Distance(marine, 69, 30), 0, 0.2);
        Assert.Equal(arena.World.Map.TerrainHeight[arena.World.Map.CellAt(Arena.Cells(69), Arena.Cells(30))],
            arena.World.Map.TerrainHeight[arena.World.Map.CellAt(marine.X, marine.Y)]);
    }

    [Fact]
    public void Who_flies_goes_straight()
    {
        var arena = new Arena();
        var medivac = arena.Add(Medivac, 1, 69, 42);
        Arena.Tell(medivac, Arena.MoveAbility, 69, 30);
        var straight = 12 * Arena.Cell / medivac.Type.Speed;
        Assert.InRange(arena.RunUntil(() => medivac.Orders.Count == 0, 1000), straight - 2, straight + 2);
    }

    [Fact]
    public void A_way_is_found_round_a_wall_of_buildings()
    {
        var arena = new Arena();
        for (var y = 8; y < 70; y += 2)
        {
            arena.Add(Depot, 1, 40, y);
        }

        var marine = arena.Add(Marine, 1, 36, 40);
        Arena.Tell(marine, Arena.MoveAbility, 44, 40);
        arena.Run(20, () => Assert.True(arena.OnGround(marine)));
        Assert.NotEqual(-1, arena.RunUntil(() => marine.Orders.Count == 0 && arena.OnGround(marine), 1500));
        Assert.InRange(Arena.Distance(marine, 44, 40), 0, 0.2);
    }

    [Fact]
    public void Before_a_closed_wall_a_unit_stops_as_near_as_it_can_be()
    {
        var arena = new Arena();
        Wall(arena, 40);
        var marine = arena.Add(Marine, 1, 30, 40);
        Arena.Tell(marine, Arena.MoveAbility, 46, 40);
        Assert.NotEqual(-1, arena.RunUntil(() => marine.Orders.Count == 0, 1500));
        Assert.InRange(Arena.Distance(marine, 38.5, 40), 0, 1);
    }

    [Fact]
    public void When_a_wall_is_built_before_it_a_unit_turns_round_and_when_it_falls_goes_on()
    {
        var arena = new Arena();
        var marine = arena.Add(Marine, 1, 30, 40);
        Arena.Tell(marine, Arena.MoveAbility, 60, 44);
        arena.Run(10);
        var wall = Wall(arena, 44);
        arena.Run(150, () => Assert.True(arena.OnGround(marine)));
        Assert.InRange(marine.X, 0, Arena.Cells(43));
        Arena.Tell(marine, Arena.MoveAbility, 60, 44);
        arena.World.Remove(wall[wall.Length / 2], died: true);
        Assert.NotEqual(-1, arena.RunUntil(() => marine.Orders.Count == 0, 1500));
        Assert.InRange(Arena.Distance(marine, 60, 44), 0, 0.2);
    }

    [Fact]
    public void Many_sent_to_one_place_stop_around_it_and_not_in_each_other()
    {
        var arena = new Arena();
        var marines = arena.AddMany(Marine, 1, 64, 20, 40);
        Array.ForEach(marines, m => Arena.Tell(m, Arena.MoveAbility, 44, 48));
        Assert.NotEqual(-1, arena.RunUntil(() => marines.All(m => m.Orders.Count == 0), 1000));
        arena.Run(100);
        Assert.All(marines, m => Assert.InRange(Arena.Distance(m, 44, 48), 0, 8));
        foreach (var one in marines)
        {
            var room = one.Type.Radius * 3 / 2;
            Assert.DoesNotContain(marines, o => o != one && Geometry.Length(o.X - one.X, o.Y - one.Y) < room);
        }
    }

    [Fact]
    public void What_is_built_on_a_unit_puts_it_beside()
    {
        var arena = new Arena();
        var marine = arena.Add(Marine, 1, 40, 40);
        arena.Add(21, 1, 40.5, 40.5);
        arena.Run(1);
        Assert.True(arena.OnGround(marine));
        Assert.InRange(Arena.Distance(marine, 40.5, 40.5), 1.5, 3);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 2)]
    [InlineData(2, 3)]
    [InlineData(3, 4)]
    public void Units_never_leave_walkable_ground_nor_the_map(int map, uint seed)
    {
        var random = new WorldRandom(seed);
        var arena = new Arena(seed, map: GameMap.All[map]);
        var world = arena.World;
        int[] types = [Marine, Medivac, 33, 53, 73, 105, 107, 109, 110, 9, 74, 4];
        var units = new List<Unit>();
        for (var i = 0; i < 48; i++)
        {
            var (x, y) = Place();
            units.Add(world.Add(TechTree.Unit(types[i % types.Length]), 1 + (i % 2), x, y));
        }

        for (var round = 0; round < 25; round++)
        {
            foreach (var unit in units.Where(u => u.Alive && random.Next(4) == 0))
            {
                Orders.Clear(unit);
                var ability = TechTree.Ability(random.Next(2) == 0 ? Arena.MoveAbility : Arena.AttackAbility);
                unit.Orders.Add(new Order(ability)
                {
                    HasPoint = true,
                    X = random.Next(world.Map.Width * Geometry.Cell),
                    Y = random.Next(world.Map.Height * Geometry.Cell),
                });
            }

            // A building on a unit's path, or on a unit.
            var (bx, by) = Place();
            (bx, by) = Footprint.Three.Snap(bx, by);
            if (world.Ground.Fits(3, bx, by))
            {
                world.Add(TechTree.Unit(21), 1, bx, by);
            }

            arena.Run(20, () =>
            {
                foreach (var unit in units.Where(u => u.Alive))
                {
                    Assert.True(arena.OnGround(unit), $"{unit.Type.Name} at {unit.X / 4096.0}, {unit.Y / 4096.0}");
                    Assert.InRange(unit.X, 0, (world.Map.Width * Geometry.Cell) - 1);
                    Assert.InRange(unit.Y, 0, (world.Map.Height * Geometry.Cell) - 1);
                }
            });
        }

        (int X, int Y) Place()
        {
            while (true)
            {
                var cell = random.Next(world.Map.Pathable.Length);
                if (world.Ground.Walkable(cell))
                {
                    return world.Map.Middle(cell);
                }
            }
        }
    }

    private static Unit[] Wall(Arena arena, int x) =>
        [.. Enumerable.Range(0, 48).Select(i => arena.Add(Depot, 1, x, (2 * i) + 1))];
}
