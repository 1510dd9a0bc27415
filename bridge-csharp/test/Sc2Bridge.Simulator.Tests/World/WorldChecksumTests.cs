namespace Sc2Bridge.Simulator.Tests.World;

/// <summary>Two processes compare this checksum. It covers everything that decides how a match continues.</summary>
public sealed class WorldChecksumTests
{
    public static TheoryData<string> Differences => ["selected", "grouped", "camera", "buff", "life"];

    [Theory]
    [MemberData(nameof(Differences))]
    public void It_differs_where_the_worlds_do(string what)
    {
        var (one, other) = (new Arena(), new Arena());
        Assert.Equal(WorldChecksum.Of(one.World), WorldChecksum.Of(other.World));
        var (unit, player) = (other.World.Units[0], other.World.Players[0]);
        switch (what)
        {
            case "selected":
                player.Selection.Units.Add(unit);
                break;
            case "grouped":
                player.Selection.Group(3).Add(unit);
                break;
            case "camera":
                player.Camera = (player.Camera.X + 1, player.Camera.Y);
                break;
            case "buff":
                Buffs.Put(unit, BuffId.QueenSpawnLarvaTimer, 7);
                break;
            default:
                unit.Health--;
                break;
        }

        Assert.NotEqual(WorldChecksum.Of(one.World), WorldChecksum.Of(other.World));
    }
}
