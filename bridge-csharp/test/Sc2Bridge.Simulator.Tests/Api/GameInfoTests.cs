using Google.Protobuf;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests.Api;

/// <summary>The grids that clients request again while they play. python-sc2 does it in each step.</summary>
public sealed class GameInfoTests
{
    private const uint SupplyDepot = 19;
    private const uint LoweredDepot = 47;
    private const uint Overlord = 106;

    [Theory]
    [InlineData(1, SupplyDepot, 4)]
    [InlineData(1, LoweredDepot, 0)]
    [InlineData(2, SupplyDepot, 4)]
    public void Buildings_that_are_seen_stand_in_the_pathing_grid_as_long_as_they_stand(int owner, uint type, int cells)
    {
        var game = Game.Played();
        var before = Start(game);
        var hall = Hall(game);
        Create(game, type, owner, hall.Pos.X + 8, hall.Pos.Y + 8);
        Assert.Equal(cells, Different(before.PathingGrid, Start(game).PathingGrid));
        Assert.Equal(before.PlacementGrid, Start(game).PlacementGrid);
        var depot = Units(game).Last(u => u.UnitType == type);
        game.Debug(new DebugCommand { KillUnit = new DebugKillUnit { Tag = { depot.Tag } } });
        game.Step(9);
        Assert.Equal(before.PathingGrid, Start(game).PathingGrid);
    }

    [Fact]
    public void Unseen_buildings_are_not_in_the_pathing_grid_and_seen_ones_are()
    {
        var game = Game.Played();
        var size = Start(game).MapSize;
        Create(game, SupplyDepot, 2, size.X / 2, size.Y / 2);
        var before = Start(game).PathingGrid;
        Create(game, Overlord, 1, size.X / 2, size.Y / 2);
        var (depot, overlord) = (Only(SupplyDepot), Only(Overlord));
        Assert.Equal((0, 4), (Taken(before), Taken(Start(game).PathingGrid)));
        game.Debug(new DebugCommand { KillUnit = new DebugKillUnit { Tag = { overlord.Tag } } });
        game.Step(9);
        Assert.Equal(DisplayType.Snapshot, Only(SupplyDepot).DisplayType);
        Assert.Equal(4, Taken(Start(game).PathingGrid));

        SC2APIProtocol.Unit Only(uint type) => Units(game).Single(u => u.UnitType == type);

        int Taken(ImageData grid) => (from dx in Enumerable.Range(-1, 2)
                                      from dy in Enumerable.Range(-1, 2)
                                      let cell = (((int)depot.Pos.Y + dy) * size.X) + (int)depot.Pos.X + dx
                                      where (grid.Data[cell / 8] & (0x80 >> (cell % 8))) == 0
                                      select cell).Count();
    }

    private static void Create(SimulatedGame game, uint type, int owner, float x, float y)
    {
        var create = new DebugCreateUnit { UnitType = type, Owner = owner, Pos = Game.At(x, y), Quantity = 1 };
        game.Debug(new DebugCommand { CreateUnit = create });
        game.Step(9);
    }

    private static StartRaw Start(SimulatedGame game) =>
        game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw;

    private static IEnumerable<SC2APIProtocol.Unit> Units(SimulatedGame game) =>
        game.Observe().Observation.Observation.RawData.Units;

    private static SC2APIProtocol.Unit Hall(SimulatedGame game) =>
        Units(game).First(u => u.Alliance == Alliance.Self && u.Radius > 2);

    private static int Different(ImageData one, ImageData other) => one.Data.ToByteArray()
        .Zip(other.Data.ToByteArray(), (a, b) => System.Numerics.BitOperations.PopCount((uint)(a ^ b))).Sum();
}
