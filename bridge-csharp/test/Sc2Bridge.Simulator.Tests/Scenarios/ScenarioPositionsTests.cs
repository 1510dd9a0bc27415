namespace Sc2Bridge.Simulator.Tests.Scenarios;

/// <summary>Teams and places that depend on the seed.</summary>
public sealed class ScenarioPositionsTests
{
    private const int Seeds = 40;
    private const double Middle = 16;

    [Fact]
    public void Reflected_teams_are_on_their_halves_at_mirrored_places()
    {
        var places = new HashSet<(float, float)>();
        for (var seed = 1u; seed <= Seeds; seed++)
        {
            var game = Arenas.Played(Drawn("\"reflect\": 1", 6, 2), seed);
            var (own, enemies) = (game.Units(1).ToArray(), game.Units(2).ToArray());
            Assert.Equal((6, 8), (own.Length, enemies.Length));
            Assert.All(own, unit => Assert.InRange(unit.Pos.X, 1, Middle - 1));
            Assert.Equal(
                own.Select(unit => (unit.UnitType, 32 - unit.Pos.X, unit.Pos.Y)),
                enemies.Take(6).Select(unit => (unit.UnitType, unit.Pos.X, unit.Pos.Y)));
            Assert.All(enemies, unit => Assert.InRange(unit.Pos.X, Middle, 31));
            Assert.All([.. own, .. enemies], unit => Assert.InRange(unit.Pos.Y, 1, 31));
            places.UnionWith(own.Select(unit => (unit.Pos.X, unit.Pos.Y)));
        }

        Assert.True(places.Count > Seeds * 5, $"{places.Count} places");
        Assert.Contains(places, place => place.Item2 < 6);
        Assert.Contains(places, place => place.Item2 > 26);
        Assert.Contains(places, place => place.Item1 < 4);
        Assert.Contains(places, place => place.Item1 > 12);
    }

    [Fact]
    public void A_surrounded_team_is_in_the_middle_and_its_enemies_are_on_the_diagonals()
    {
        var sides = new HashSet<int>();
        for (var seed = 1u; seed <= Seeds; seed++)
        {
            var game = Arenas.Played(Drawn("\"surrounded\": 1", 6, 2), seed);
            var (own, enemies) = (game.Units(1).ToArray(), game.Units(2).ToArray());
            Assert.Equal((6, 8), (own.Length, enemies.Length));
            Assert.All(own, unit => Assert.InRange(Apart(unit.Pos.X, unit.Pos.Y), 0, 4));
            Assert.All(own, unit => Assert.True(
                enemies.Count(enemy => enemy.UnitType == unit.UnitType) >= own.Count(other => other.UnitType == unit.UnitType)));
            Assert.All(enemies, unit => Assert.InRange(
                Math.Abs(Math.Abs(unit.Pos.X - Middle) - Math.Abs(unit.Pos.Y - Middle)), 0, 6));
            sides.Add(enemies.Select(unit => (unit.Pos.X < Middle, unit.Pos.Y < Middle)).Distinct().Count());
        }

        Assert.Contains(1, sides);
        Assert.Contains(4, sides);
    }

    [Fact]
    public void Both_ways_are_drawn_as_often_as_their_weights_say()
    {
        var surrounded = Enumerable.Range(1, 200).Count(seed =>
            Arenas.Played(Drawn("\"reflect\": 75, \"surrounded\": 25", 2, 0), (uint)seed).Units(1)
                .All(unit => Apart(unit.Pos.X, unit.Pos.Y) < 2));
        Assert.InRange(surrounded, 30, 75);
    }

    [Fact]
    public void The_same_seed_gives_the_same_places_and_another_seed_others()
    {
        var places = new[] { 7u, 7u, 8u }.Select(seed => string.Join(
            " ", Arenas.Played(Drawn("\"reflect\": 1, \"surrounded\": 1", 6, 2), seed).Units(2).Select(unit => unit.ToString()))).ToArray();
        Assert.Equal(places[0], places[1]);
        Assert.NotEqual(places[0], places[2]);
    }

    [Theory]
    [InlineData("")]
    [InlineData(", \"positions\": { \"reflect\": 1 }")]
    public void A_type_that_may_not_be_alone_is_never_the_whole_team(string more)
    {
        var whole = 0;
        for (var seed = 1u; seed <= Seeds; seed++)
        {
            var units = """[{ "type": { "Marine": 1, "Medivac": 9 }, "count": 3, "at": [9, 16], "spread": 4, "except": ["medivac"] }]""";
            var game = Arenas.Played(
                $$"""{ "map": [32, 32], "players": [{ "race": "Terran", "units": {{units}} }, { "race": "Terran", "mirror": true }]{{more}} }""",
                seed);
            Assert.Contains(game.Units(1), unit => unit.UnitType == 48);
            whole += game.Units(1).Count(unit => unit.UnitType == 54);
        }

        Assert.True(whole > Seeds, $"{whole} medivacs");
    }

    private static string Drawn(string weights, int count, int more)
    {
        const string Types = """ "type": { "Marine": 45, "Marauder": 45, "Medivac": 10 }""";
        var extra = more == 0 ? "" : $$""", "units": [{ {{Types}}, "count": {{more}}, "at": [24, 16] }]""";
        return $$"""
            {
              "map": [32, 32], "reveal": true, "positions": { {{weights}} },
              "players": [
                { "race": "Terran", "units": [{ {{Types}}, "count": {{count}}, "at": [8, 16] }] },
                { "race": "Terran", "mirror": true{{extra}} }
              ]
            }
            """;
    }

    private static double Apart(double x, double y) => double.Hypot(x - Middle, y - Middle);
}
