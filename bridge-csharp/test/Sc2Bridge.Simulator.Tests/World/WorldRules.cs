namespace Sc2Bridge.Simulator.Tests.World;

/// <summary>Rules that hold in every world, after any requests.</summary>
internal static class WorldRules
{
    /// <summary>Asserts all rules.</summary>
    /// <param name="world">The world, between two loops.</param>
    /// <param name="given">Whether debug commands may have created units, which need no supply.</param>
    public static void Assert(GameWorld world, bool given)
    {
        foreach (var player in world.Players)
        {
            Xunit.Assert.True(player.Minerals >= 0 && player.Vespene >= 0, $"{player.Minerals} {player.Vespene}");
            var (food, provided) = (0, 0);
            var count = new int[player.Count.Length];
            foreach (var unit in world.Units.Where(u => u.Alive && u.Owner == player.Id))
            {
                food += unit.Type.HalfFood + unit.HeldFood;
                provided += unit.Finished ? unit.Type.FoodProvided : 0;
                count[unit.Type.Index]++;
            }

            Xunit.Assert.Equal(food, player.HalfFoodUsed);
            Xunit.Assert.Equal(Math.Min(200, provided), player.FoodCap);
            Xunit.Assert.Equal(count, player.Count);
            if (!given)
            {
                Xunit.Assert.InRange(player.HalfFoodUsed, 0, Supply.Most);
            }
        }

        var tags = new HashSet<ulong>();
        foreach (var unit in world.Units)
        {
            Xunit.Assert.True(
                unit.Alive && tags.Add(unit.Tag) && ReferenceEquals(world.Find(unit.Tag), unit),
                $"{unit.Type.Name}, alive {unit.Alive}, ended {world.Ended}");
            Xunit.Assert.InRange(unit.X, 0, (world.Map.Width * Geometry.Cell) - 1);
            Xunit.Assert.InRange(unit.Y, 0, (world.Map.Height * Geometry.Cell) - 1);
            Xunit.Assert.InRange(unit.Health, 0, unit.MostHealth);
            Xunit.Assert.InRange(unit.Shield, 0, unit.Type.Shield * 256);
            Xunit.Assert.InRange(unit.Energy, 0, unit.Type.Energy * 256);
            Xunit.Assert.InRange(unit.BuildLeft, 0, Math.Max(0, unit.BuildLoops));
            Xunit.Assert.InRange(unit.Queue.Count, 0, Production.Room(unit) + 3);
            Xunit.Assert.True(unit.Contents >= 0);
            Xunit.Assert.All(unit.Passengers, p => Xunit.Assert.True(p.Alive && ReferenceEquals(p.Carrier, unit)));
            Xunit.Assert.True(unit.Carrier is null || unit.Carrier.Passengers.Contains(unit));
            Xunit.Assert.InRange(unit.Passengers.Sum(p => p.Type.CargoSize), 0, unit.CargoSpace);
        }
    }
}
