using System.Numerics;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests.Scenarios;

/// <summary>Matches that start with units instead of bases.</summary>
public sealed class ScenarioTests
{
    public static TheoryData<string> Files => [.. Arenas.Files.Select(file => Path.GetFileName(file))];

    [Theory]
    [MemberData(nameof(Files))]
    public void Each_file_of_the_repository_is_played_to_a_result(string name)
    {
        var json = File.ReadAllText(Arenas.Files.Single(file => Path.GetFileName(file) == name));
        var game = Game.Joined(Arenas.Create(json), Game.Join());
        var results = game.Play();
        Assert.Equal(2, results.Length);
        Assert.DoesNotContain(Result.Undecided, results);
    }

    [Fact]
    public void It_begins_with_what_its_file_says_and_nothing_else()
    {
        var game = Arenas.Played("""
            {
              "map": [32, 24], "reveal": true,
              "players": [
                { "race": "Terran", "units": [{ "type": "Marine", "count": 3, "at": [9, 16] }, { "type": "medivac", "at": [5, 16] }] },
                { "race": "Zerg", "units": [{ "type": "Zergling", "count": 4, "at": [24, 8] }, { "type": "SpineCrawler", "at": [28, 8] }] }
              ],
              "neutral": [{ "type": "MineralField", "at": [16, 16] }]
            }
            """);
        var units = game.Observe().Observation.Observation.RawData.Units;
        Assert.Equal(
            [(1, 48u, 3), (1, 54u, 1), (2, 98u, 1), (2, 105u, 4), (16, 341u, 1)],
            units.GroupBy(unit => (unit.Owner, unit.UnitType)).Select(g => (g.Key.Owner, g.Key.UnitType, g.Count())).Order());
        Assert.All(units.Where(unit => unit.UnitType == 48), unit => Assert.InRange(Far(unit, 9, 16), 0, 2));
        var info = game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        Assert.Equal(("arena", 32, 24), (info.MapName, info.StartRaw.MapSize.X, info.StartRaw.MapSize.Y));
        Assert.Equal(new Point2D { X = 24, Y = 8 }, Assert.Single(info.StartRaw.StartLocations));
        Assert.Equal(0u, game.Observe().Observation.Observation.PlayerCommon.FoodWorkers);
    }

    [Fact]
    public void A_player_without_units_has_lost_and_buildings_do_not_count_more()
    {
        var game = Arenas.Played(Arenas.Flat(Arenas.Units("Marauder", 8, 9, 16), Arenas.Units("Zergling", 2, 23, 16)));
        Assert.Equal([Result.Victory, Result.Defeat], game.Play());
        Assert.NotEmpty(game.Units(1));
    }

    [Fact]
    public void The_computer_attacks_where_the_enemy_starts()
    {
        var start = Arenas.Played(Arenas.Flat(
            Arenas.Units("Marine", 1, 28, 28) + ", \"start\": [4, 4]", Arenas.Units("Roach", 3, 16, 4), ", \"reveal\": true"));
        start.Step(60);
        Assert.All(start.Units(2), unit => Assert.True(unit.Pos.X < 12 && unit.Pos.Y < 8, $"{unit.Pos}"));
    }

    [Fact]
    public void At_its_limit_it_is_a_tie()
    {
        var game = Arenas.Played(Arenas.Flat(
            Arenas.Units("Overlord", 1, 9, 16), Arenas.Units("Overlord", 1, 23, 16), ", \"limit\": 100"));
        Assert.Equal([Result.Tie, Result.Tie], game.Play());
        Assert.Equal(100u, game.Observe().Observation.Observation.GameLoop);
    }

    [Fact]
    public void Reaching_the_goal_wins()
    {
        var game = Arenas.Played("""
            { "map": [32, 32], "players": [{ "race": "Terran", "units": [{ "type": "Marine", "at": [5, 16] }] }],
              "goal": { "player": 1, "at": [12, 16], "radius": 1.5 } }
            """, players: 1);
        game.Step(50);
        Assert.Equal(Status.InGame, game.Status);
        var order = new ActionRawUnitCommand { AbilityId = 16, TargetWorldSpacePos = Game.At(12, 16) };
        order.UnitTags.Add(game.Units(1).Single().Tag);
        game.Act(new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = order } });
        Assert.Equal([Result.Victory], game.Play(200));
        Assert.InRange(Far(game.Units(1).Single(), 12, 16), 1, 1.5);
    }

    [Fact]
    public void On_a_map_of_the_game_its_minerals_are_there_and_no_base_is()
    {
        var game = Arenas.Played(Arenas.Flat(Arenas.Units("SCV", 2, 49.5, 56), Arenas.Units("Zergling", 1, 110, 110))
            .Replace("[32, 32]", "\"Salt Basin LE\"", StringComparison.Ordinal));
        Assert.Equal([45u, 45u], game.Units(1).Select(unit => unit.UnitType));
        Assert.NotEmpty(game.Units(16));
        Assert.Equal([Game.At(110, 110)], game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw.StartLocations);
    }

    [Fact]
    public void A_side_alone_has_lost_with_its_last_unit()
    {
        var game = Arenas.Played("""
            { "map": [32, 32], "players": [{ "race": "Terran", "units": [{ "type": "Marine", "at": [5, 16] }] }] }
            """, players: 1);
        var kill = new DebugKillUnit();
        kill.Tag.Add(game.Units(1).Single().Tag);
        game.Debug(new DebugCommand { KillUnit = kill });
        Assert.Equal([Result.Defeat], game.Play(8));
    }

    [Theory]
    [InlineData("", true)]
    [InlineData(", \"passive\": true", false)]
    public void Units_of_a_passive_player_do_not_fight_by_themselves(string passive, bool fights)
    {
        var game = Arenas.Played(Arenas.Flat(
            Arenas.Units("Marine", 4, 14, 16) + passive, Arenas.Units("SpineCrawler", 1, 17, 16), ", \"reveal\": true"));
        game.Step(30);
        Assert.Equal(fights, game.Units(2).Single().Health < 300);
    }

    [Fact]
    public void The_map_is_revealed_where_the_file_says_so()
    {
        string Fight(string more) => Arenas.Flat(Arenas.Units("Marine", 1, 3, 3), Arenas.Units("Zergling", 2, 29, 29), more);
        Assert.Empty(Arenas.Played(Fight("")).Units(2));
        Assert.Equal(2, Arenas.Played(Fight(", \"reveal\": true")).Units(2).Count());
    }

    [Fact]
    public void Upgrades_are_there_from_the_start()
    {
        var game = Arenas.Played(Arenas.Flat(
            Arenas.Units("Marine", 1, 9, 16) + ", \"upgrades\": [\"ShieldWall\", \"Stimpack\"]", Arenas.Units("Zergling", 1, 29, 29)));
        Assert.Equal(55, game.Units(1).Single().HealthMax);
        Assert.Equal([15u, 16u], game.Observe().Observation.Observation.RawData.Player.UpgradeIds.Order());
    }

    [Fact]
    public void Drawn_teams_are_the_seeds_and_a_mirrored_side_is_as_strong()
    {
        var drawn = """
            "units": [{ "type": { "Marine": 45, "Marauder": 45, "Medivac": 10 }, "count": 8, "at": [8, 16], "spread": 6 }]
            """;
        var json = Arenas.Flat(drawn, "\"mirror\": true", ", \"reveal\": true");
        var teams = Enumerable.Range(1, 5).Select(seed => Arenas.Played(json, (uint)seed)).Select(game =>
        {
            var (own, enemies) = (game.Units(1).ToList(), game.Units(2).ToList());
            Assert.Equal(8, own.Count);
            Assert.Equal(
                own.Select(u => (u.UnitType, 32 - u.Pos.X, u.Pos.Y)).Order(), enemies.Select(u => (u.UnitType, u.Pos.X, u.Pos.Y)).Order());
            Assert.All(own, unit => Assert.True(Math.Abs(unit.Pos.X - 8) < 7 && Math.Abs(unit.Pos.Y - 16) < 7, $"{unit.Pos}"));
            return string.Join(" ", own.Select(unit => $"{unit.UnitType}@{unit.Pos.X}"));
        }).ToList();
        Assert.Equal(5, teams.Distinct().Count());
        Assert.Equal(teams[0], string.Join(" ", Arenas.Played(json).Units(1).Select(unit => $"{unit.UnitType}@{unit.Pos.X}")));
    }

    [Fact]
    public void A_ramp_is_walked_and_a_cliff_is_not()
    {
        var json = File.ReadAllText(Arenas.Files.Single(file => file.EndsWith("up_the_ramp.json", StringComparison.Ordinal)));
        var game = Arenas.Played(json);
        var far = new RequestQueryPathing { StartPos = Game.At(10, 12), EndPos = Game.At(25, 12) };
        var around = new RequestQueryPathing { StartPos = Game.At(16, 3), EndPos = Game.At(20, 3) };
        var query = new RequestQuery { Pathing = { far, around } };
        var ways = game.Handle(new Request { Query = query }).Query.Pathing.Select(way => way.Distance).ToList();
        Assert.InRange(ways[0], 15, 16);
        Assert.InRange(ways[1], 15, 30);
        var heights = game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw.TerrainHeight.Data;
        Assert.Equal([191, 195, 199, 203, 207], Enumerable.Range(14, 5).Select(x => (int)heights[(12 * 32) + x]));
    }

    [Fact]
    public void The_same_seed_gives_the_same_bytes_and_its_replay_too()
    {
        var json = File.ReadAllText(Arenas.Files[0]);
        var games = new[] { Game.Joined(Arenas.Create(json), Game.Join()), Game.Joined(Arenas.Create(json), Game.Join()) };
        var seen = new List<ResponseObservation>();
        for (var step = 0; step < 30; step++)
        {
            seen.Add(games[0].Observe().Observation);
            Assert.Equal(seen[^1], games[1].Observe().Observation);
            Array.ForEach(games, game => game.Step(8));
        }

        var start = new RequestStartReplay
        {
            ReplayData = games[0].Handle(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data,
            Options = Game.Options,
        };
        var replay = new SimulatedGame(new SimulatorOptions());
        Assert.Equal(Status.InReplay, replay.Handle(new Request { StartReplay = start }).Status);
        foreach (var observation in seen.Take(25))
        {
            Assert.Equal(observation, replay.Observe().Observation);
            replay.Step(8);
        }
    }

    [Fact]
    public void A_wrong_file_and_a_wrong_number_of_players_are_refused()
    {
        var game = new SimulatedGame(new SimulatorOptions());
        var wrong = game.Handle(new Request { CreateGame = Arenas.Create("{ \"map\": 3 }") }).CreateGame;
        Assert.Equal(ResponseCreateGame.Types.Error.InvalidMapData, wrong.Error);
        Assert.StartsWith("arena.SC2Map: map 3: write a map's name", wrong.ErrorDetails, StringComparison.Ordinal);
        var json = Arenas.Flat(Arenas.Units("Marine", 1, 9, 16), Arenas.Units("Zergling", 1, 9, 16));
        wrong = game.Handle(new Request { CreateGame = Arenas.Create(json, players: 1) }).CreateGame;
        Assert.Equal((ResponseCreateGame.Types.Error.InvalidPlayerSetup, "arena is for 2 players."), (wrong.Error, wrong.ErrorDetails));
    }

    private static float Far(SC2APIProtocol.Unit unit, float x, float y) => Vector2.Distance(new(unit.Pos.X, unit.Pos.Y), new(x, y));
}
