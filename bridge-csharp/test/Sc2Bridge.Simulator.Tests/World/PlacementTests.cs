using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Tests.World;

/// <summary>
/// The cases of python-sc2's <c>test/queries_test_bot.py</c>, which its public workflow runs on StarCraft II. They ask whether a
/// command centre can be placed in the middle of the map, on an own unit or an enemy's.
/// </summary>
public sealed class PlacementTests
{
    private const int CommandCentre = 318;
    private const int None = 0;
    private const int Zealot = 73;
    private const int Depot = 19;
    private const int LoweredDepot = 47;
    private const int Templar = 76;
    private const int Overlord = 106;
    private const int Observer = 82;
    private const int BurrowedRoach = 118;
    private const int BurrowedZergling = 119;
    private const int BurrowedMine = 500;
    private const int SiegedTank = 32;
    private const int Tumor = 87;
    private const int Changeling = 12;
    private const int FlyingBarracks = 46;
    private const int Middle = 48;

    [Theory]
    [InlineData(Overlord, Templar)]
    [InlineData(Overlord, BurrowedRoach)]
    [InlineData(Overlord, BurrowedZergling)]
    [InlineData(FlyingBarracks, BurrowedMine)]
    [InlineData(Zealot, None)]
    [InlineData(None, Zealot)]
    [InlineData(None, Depot)]
    [InlineData(None, Templar)]
    [InlineData(None, BurrowedRoach)]
    public void Unseen_units_are_in_no_buildings_way(int own, int enemy) =>
        Assert.Equal(ActionResult.Success, Ask(own, enemy));

    [Theory]
    [InlineData(18, None)]
    [InlineData(Overlord, Depot)]
    [InlineData(Overlord, LoweredDepot)]
    [InlineData(Overlord, Zealot)]
    [InlineData(Overlord, SiegedTank)]
    [InlineData(Overlord, Tumor)]
    [InlineData(Observer, Tumor)]
    [InlineData(Observer, Templar)]
    [InlineData(Observer, BurrowedRoach)]
    [InlineData(Observer, BurrowedMine)]
    [InlineData(SiegedTank, None)]
    [InlineData(Overlord, Changeling)]
    [InlineData(Observer, Changeling)]
    public void Seen_units_are_in_a_buildings_way(int own, int enemy) =>
        Assert.Equal(ActionResult.CantBuildLocationInvalid, Ask(own, enemy));

    [Fact]
    public void What_was_seen_once_stays_in_the_way_until_it_is_seen_to_be_gone()
    {
        var arena = new Arena();
        var depot = arena.Add(Depot, 2, Middle, Middle);
        var overlord = arena.Add(Overlord, 1, Middle, Middle);
        arena.Run(9);
        arena.World.Remove(overlord, died: false);
        arena.Run(9);
        Assert.Equal(ActionResult.CantBuildLocationInvalid, Query(arena));
        arena.World.Remove(depot, died: false);
        arena.Add(Overlord, 1, Middle, Middle);
        arena.Run(9);
        Assert.Equal(ActionResult.Success, Query(arena));
    }

    [Fact]
    public void A_query_below_an_unknown_building_does_not_copy_the_map()
    {
        var arena = new Arena();
        arena.Add(Depot, 2, Middle, Middle);
        arena.Run(10);
        Assert.Equal(ActionResult.Success, Query(arena));
        var before = GC.GetAllocatedBytesForCurrentThread();
        Query(arena);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, arena.World.Map.Placeable.Length / 2);
    }

    private static ActionResult Ask(int own, int enemy)
    {
        var arena = new Arena();
        foreach (var (type, owner) in new[] { (own, 1), (enemy, 2) })
        {
            var beside = type == Tumor ? 5 : 0;
            _ = type == None ? null : arena.Add(type, owner, Middle + beside, Middle + beside);
        }

        arena.Run(enemy == Tumor ? 1000 : 10);
        return Query(arena);
    }

    private static ActionResult Query(Arena arena) => Placement.Query(
        arena.World, arena.World.Players[0], TechTree.Ability(CommandCentre), Arena.Cells(Middle), Arena.Cells(Middle), null);
}
