namespace Sc2Bridge.Simulator.Tests.World;

public sealed class VisionTests
{
    private const int Marine = 48;
    private const int Barracks = 21;

    [Fact]
    public void From_below_a_plateau_is_not_seen_and_from_above_and_the_air_it_is()
    {
        var arena = new Arena();
        var (low, high) = ((69.5, 39.5), (69.5, 33.5));
        arena.Add(Marine, 1, low.Item1, low.Item2);
        arena.Add(105, 2, high.Item1, high.Item2);
        arena.Run(8);
        Assert.True(Sees(arena, 1, low));
        Assert.False(Sees(arena, 1, high));
        Assert.True(Sees(arena, 2, low));
        arena.Add(54, 1, low.Item1, low.Item2);
        arena.Run(8);
        Assert.True(Sees(arena, 1, high));
    }

    [Fact]
    public void Cells_are_fogged_when_no_unit_sees_them_and_no_enemy_is_shown_there()
    {
        var arena = new Arena();
        var marine = arena.Add(Marine, 1, 40, 40);
        var zergling = arena.Add(104, 2, 44, 40);
        arena.Run(8);
        var cell = arena.World.Map.CellAt(zergling.X, zergling.Y);
        Assert.Equal(Vision.Visible, arena.World.Vision.Of(1)[cell]);
        Assert.Equal(6, zergling.SeenBy);
        arena.World.Remove(marine, died: true);
        arena.Run(8);
        Assert.Equal(Vision.Fogged, arena.World.Vision.Of(1)[cell]);
        Assert.Equal(4, zergling.SeenBy);
        Assert.Equal(Vision.Visible, arena.World.Vision.Of(0)[cell]);
        Assert.Equal(Vision.Hidden, arena.World.Vision.Of(1)[arena.World.Map.CellAt(Arena.Cells(80), Arena.Cells(60))]);
    }

    [Fact]
    public void A_building_is_remembered_until_its_place_is_seen_without_it()
    {
        var arena = new Arena(second: Race.Terran);
        var marine = arena.Add(Marine, 1, 40, 40);
        Arena.Tell(marine, Arena.MoveAbility, 40, 40);
        var barracks = arena.Add(Barracks, 2, 48.5, 40.5);
        Assert.DoesNotContain(arena.World.Vision.SnapshotsOf(1), s => s.Unit == barracks);
        arena.Run(8);
        Assert.DoesNotContain(arena.World.Vision.SnapshotsOf(1), s => s.Unit == barracks);
        (marine.X, marine.Y) = (Arena.Cells(20), Arena.Cells(40));
        arena.Run(8);
        Assert.Contains(arena.World.Vision.SnapshotsOf(1), s => s.Unit == barracks && !s.Gone);
        arena.World.Remove(barracks, died: true);
        arena.Run(8);
        Assert.Contains(arena.World.Vision.SnapshotsOf(1), s => s.Unit == barracks && s.Gone);
        (marine.X, marine.Y) = (Arena.Cells(42), Arena.Cells(40));
        arena.Run(8);
        Assert.DoesNotContain(arena.World.Vision.SnapshotsOf(1), s => s.Unit == barracks);
    }

    [Fact]
    public void Resources_are_known_from_the_start()
    {
        var arena = new Arena();
        var known = arena.World.Vision.SnapshotsOf(1).Select(s => s.Unit).ToHashSet();
        var neutral = arena.World.Units.Where(u => u.Owner == GameWorld.Neutral).ToArray();
        Assert.NotEmpty(neutral);
        Assert.All(neutral, n => Assert.True(known.Contains(n) || (n.SeenBy & 2) != 0));
        Assert.Empty(arena.World.Vision.SnapshotsOf(0));
    }

    [Fact]
    public void Creep_spreads_from_a_new_hatchery_and_dries_up_after_it()
    {
        var arena = new Arena();
        var near = Arena.Cells(48.5);
        var hatchery = arena.Add(86, 2, 44.5, 44.5);
        arena.Run(8);
        Assert.False(arena.World.Creep.At(near, near));
        arena.Run(32 * 13);
        Assert.True(arena.World.Creep.At(near, near));
        Assert.False(arena.World.Creep.At(Arena.Cells(58), Arena.Cells(58)));
        var cell = arena.World.Map.CellAt(near, near);
        Assert.NotEqual(0, arena.World.Creep.Bits[cell >> 3] & (0x80 >> (cell & 7)));
        arena.World.Remove(hatchery, died: true);
        arena.Run(32 * 14);
        Assert.False(arena.World.Creep.At(near, near));
        Assert.Equal(0, arena.World.Creep.Bits[cell >> 3] & (0x80 >> (cell & 7)));
    }

    [Fact]
    public void A_gateway_works_only_in_the_field_of_a_living_pylon()
    {
        var arena = new Arena(first: Race.Protoss);
        var gateway = arena.Add(62, 1, 40.5, 40.5);
        arena.Run(8);
        Assert.False(gateway.Powered);
        var pylon = arena.Add(60, 1, 45, 41);
        arena.Run(8);
        Assert.True(gateway.Powered);
        Assert.False(arena.World.Power.At(2, gateway.X, gateway.Y));
        arena.World.Remove(pylon, died: true);
        arena.Run(8);
        Assert.False(gateway.Powered);
    }

    private static bool Sees(Arena arena, int player, (double X, double Y) place) =>
        arena.World.Vision.Sees(player, Arena.Cells(place.X), Arena.Cells(place.Y));
}
