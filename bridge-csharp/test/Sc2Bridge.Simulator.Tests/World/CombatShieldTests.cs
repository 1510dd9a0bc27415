using Sc2Bridge.Simulator.Tests.Observing;

namespace Sc2Bridge.Simulator.Tests.World;

public sealed class CombatShieldTests
{
    [Fact]
    public void Combat_shield_gives_marines_ten_points_of_life_those_that_are_and_those_to_come()
    {
        var arena = new Arena(second: Race.Terran);
        var old = arena.Add(48, 1, 40, 40);
        var other = arena.Add(51, 1, 44, 40);
        var enemy = arena.Add(48, 2, 80, 20);
        old.Health = 20 * 256;
        Upgrades.Gain(arena.World, arena.World.Players[0], 16);
        var later = arena.Add(48, 1, 48, 40);
        var seen = arena.World.By(1);
        Assert.Equal((30f, 55f), (seen.Find(old)!.Health, seen.Find(old)!.HealthMax));
        Assert.Equal((55f, 55f), (seen.Find(later)!.Health, seen.Find(later)!.HealthMax));
        Assert.Equal((125 * 256, 45 * 256), (other.MostHealth, enemy.MostHealth));
        Upgrades.Gain(arena.World, arena.World.Players[0], 16);
        Assert.Equal(30 * 256, old.Health);
    }
}
