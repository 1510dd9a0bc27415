using Sc2Bridge.Recordings.Analysis;

namespace Sc2Bridge.Recordings.Tests.Analysis;

/// <summary>Which losses and damage form a fight, and which side gained from it.</summary>
public sealed class FightFinderTests
{
    private const uint Marine = 48;
    private const uint Zealot = 73;
    private const uint Larva = 151;

    private readonly FightFinder _finder = new(
        type => type switch { Marine => (50, 0), Zealot => (100, 0), _ => (0, 0) },
        type => type switch { Marine => "Marine", Zealot => "Zealot", _ => $"unit type {type}" });

    private ulong _tag;

    [Fact]
    public void Losses_and_damage_near_each_other_are_one_fight()
    {
        Damage(100, Marine, 1, 20, 20);
        Lose(120, Marine, 1, 22, 20);
        Lose(130, Marine, 1, 21, 23);
        Damage(150, Zealot, 2, 21, 21);
        Lose(160, Zealot, 2, 21, 21);
        var fight = Assert.Single(_finder.Finish());
        Assert.Equal((100u, 160u, 21.0, 21.0, 0u), (fight.FirstLoop, fight.LastLoop, fight.X, fight.Y, fight.Ahead));
        Assert.Equal([1u, 2u], fight.Sides.Select(side => side.PlayerId));
        Assert.Equal([(100, 0, 1), (100, 0, 1)], fight.Sides.Select(side => ((int)side.Minerals, (int)side.Vespene, side.Damaged)));
        Assert.Equal([new LostUnits(Marine, "Marine", 2), new LostUnits(Zealot, "Zealot", 1)], fight.Sides.SelectMany(side => side.Lost));
    }

    [Theory]
    [InlineData(0, 15, 1)] // the largest distance of one fight
    [InlineData(0, 16, 2)] // too far away
    [InlineData(224, 0, 1)] // the latest time of one fight
    [InlineData(225, 0, 2)] // too late
    public void A_fight_ends_with_its_radius_and_after_ten_seconds(int loops, int cells, int fights)
    {
        Lose(100, Zealot, 1, 20, 20);
        Lose(100 + (uint)loops, Zealot, 2, 20 + cells, 20);
        Assert.Equal(fights, _finder.Finish().Count);
    }

    [Fact]
    public void A_loss_without_another_player_nearby_is_no_fight()
    {
        Lose(100, Zealot, 1, 20, 20, others: []);
        Assert.Empty(_finder.Finish());
    }

    [Fact]
    public void A_fight_in_which_less_than_the_least_value_is_lost_is_not_listed()
    {
        Lose(100, Marine, 1, 20, 20);
        Lose(101, Larva, 1, 20, 20);
        Assert.Empty(_finder.Finish());
    }

    [Theory]
    [InlineData(3, 2, 2)] // 100 of 500 are a fifth
    [InlineData(4, 3, 0)] // 100 of 700 are less
    [InlineData(1, 0, 2)]
    [InlineData(2, 3, 1)]
    public void The_side_that_lost_less_is_ahead_if_the_difference_is_a_fifth_of_all(int lostBy1, int lostBy2, int ahead)
    {
        foreach (var (player, lost) in ((int, int)[])[(1, lostBy1), (2, lostBy2)])
        {
            for (var i = 0; i < lost; i++)
            {
                Lose(100, Zealot, player, 20, 20);
            }
        }

        var fight = Assert.Single(_finder.Finish());
        Assert.Equal((uint)ahead, fight.Ahead);
        Assert.Equal(2, fight.Sides.Count);
    }

    [Fact]
    public void Fights_at_the_same_time_are_told_apart_by_their_places_and_listed_by_their_beginnings()
    {
        for (uint loop = 0; loop < 1000; loop += 100)
        {
            Lose(200 + loop, Zealot, 1, 20, 20);
            Lose(100 + loop, Zealot, 2, 80, 20);
        }

        Assert.Equal([(100u, 1u), (200u, 2u)], _finder.Finish().Select(fight => (fight.FirstLoop, fight.Ahead)));
    }

    private void Lose(uint loop, uint type, int player, float x, float y, int[]? others = null) =>
        Add(loop, type, player, x, y, isLoss: true, others);

    private void Damage(uint loop, uint type, int player, float x, float y) => Add(loop, type, player, x, y, isLoss: false, null);

    private void Add(uint loop, uint type, int player, float x, float y, bool isLoss, int[]? others) => _finder.Add(
        loop, new SeenUnit { Tag = ++_tag, Type = type, Owner = player, X = x, Y = y }, isLoss,
        (others ?? [3 - player]).Aggregate(0u, (bits, other) => bits | (1u << other)));
}
