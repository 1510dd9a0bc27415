namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>
/// Answers that are computed from the map's grids and the current observation, compared with the simulated game's recorded answers.
/// </summary>
public sealed class GroundTests
{
    // Depots, refineries, barracks, engineering bays, turrets, sensor towers; other races' buildings.
    private static readonly Dictionary<Race, int[]> _abilities = new()
    {
        [Race.Terran] = [319, 320, 321, 322, 323, 326],
        [Race.Protoss] = [881, 882, 883, 884, 887],
        [Race.Zerg] = [1154, 1155, 1156, 1167],
    };

    private static readonly Dictionary<Race, uint[]> _buildings = new()
    {
        [Race.Terran] = [21, 19, 47],
        [Race.Protoss] = [60, 62],
        [Race.Zerg] = [89],
    };

    [Theory]
    [InlineData(Race.Terran)]
    [InlineData(Race.Protoss)]
    [InlineData(Race.Zerg)]
    public void Placements_are_judged_as_the_game_does(Race race)
    {
        var match = new SimulatedRecording(race);
        var home = match.Now.RawData.Units.First(unit => unit.Alliance == Alliance.Self && unit.Radius > 2).Pos;
        var random = new Random(1);
        var asked = new List<(int Step, RequestQuery Query, ResponseQuery Answer)>();
        for (var round = 0; round < 4; round++)
        {
            var query = new RequestQuery { IgnoreResourceRequirements = true };
            for (var i = 0; i < 400; i++)
            {
                query.Placements.Add(new RequestQueryBuildingPlacement
                {
                    AbilityId = _abilities[race][random.Next(_abilities[race].Length)],
                    TargetPos = Near(random, home, 22),
                });
            }

            // Also on every geyser, because random places rarely hit one.
            query.Placements.AddRange(match.Now.RawData.Units.Where(unit => unit.VespeneContents > 0)
                .Select(unit => new RequestQueryBuildingPlacement
                {
                    AbilityId = race switch { Race.Terran => 320, Race.Protoss => 882, _ => 1154 },
                    TargetPos = new Point2D { X = unit.Pos.X, Y = unit.Pos.Y },
                }));
            asked.Add((match.Step, query, match.Ask(new Request { Query = query }).Query));
            foreach (var type in _buildings[race])
            {
                match.Create(type, Near(random, home, 14));
            }

            match.Play(8);
        }

        using var builder = new RecordingBuilder { Description = match.Describe() };
        using var game = PlayedGame.Joined(builder.Write(match.Observations));
        foreach (var (step, query, expected) in asked)
        {
            game.Step((uint)(step * 8) - game.Observe().Observation.Observation.GameLoop);
            var answer = game.Query(query).Query;
            Assert.Contains(expected.Placements, placement => placement.Result == ActionResult.Success);
            Assert.Contains(expected.Placements, placement => placement.Result != ActionResult.Success);
            var wrong = query.Placements.Where((_, i) => !expected.Placements[i].Equals(answer.Placements[i])).ToList();
            Assert.True(wrong.Count == 0, $"{wrong.Count} at step {step}: {string.Join("; ", wrong.Take(5))}");
        }

        Assert.Equal(asked.Sum(one => one.Query.Placements.Count), game.Totals.Placements);
        Assert.Single(game.Said, line => line.Contains("grid", StringComparison.Ordinal));
    }

    [Fact]
    public void Ways_are_as_long_as_the_game_says()
    {
        var match = new SimulatedRecording(Race.Terran);
        var info = match.Describe().GameInfo.StartRaw;
        var random = new Random(2);
        match.Create(19, Near(random, match.Now.RawData.Units.First(unit => unit.UnitType == 18).Pos, 8), count: 4);
        match.Play(8);
        var worker = match.Now.RawData.Units.First(unit => unit.UnitType == 45);
        var query = new RequestQuery();
        for (var i = 0; i < 300; i++)
        {
            var way = new RequestQueryPathing { EndPos = Anywhere() };
            if (i % 3 == 0)
            {
                way.UnitTag = i % 2 == 0 ? worker.Tag : 77;
            }
            else
            {
                way.StartPos = Anywhere();
            }

            query.Pathing.Add(way);
        }

        var expected = match.Ask(new Request { Query = query }).Query.Pathing;
        using var builder = new RecordingBuilder { Description = match.Describe() };
        using var game = PlayedGame.Joined(builder.Write(match.Observations));
        game.Step(8);
        var answer = game.Query(query).Query.Pathing;
        var (found, same) = (0, 0);
        for (var i = 0; i < expected.Count; i++)
        {
            var (distance, error) = (expected[i].Distance, Math.Abs(expected[i].Distance - answer[i].Distance));
            Assert.Equal(expected[i].HasDistance, answer[i].HasDistance);
            Assert.InRange(error, 0, distance * 0.06);
            found += expected[i].HasDistance ? 1 : 0;
            same += error < 0.01 ? 1 : 0;
        }

        // Some paths pass the enemy's town hall, which the player does not see.
        Assert.InRange(found, 50, 299);
        Assert.InRange(same, 285, 300);
        Assert.Equal(300, game.Totals.PathLengths);

        Point2D Anywhere() => new()
        {
            X = random.NextSingle() * info.MapSize.X,
            Y = random.NextSingle() * info.MapSize.Y,
        };
    }

    [Fact]
    public void Prices_count_unless_they_are_not_to()
    {
        var match = new SimulatedRecording(Race.Terran);
        var home = match.Now.RawData.Units.First(unit => unit.UnitType == 18).Pos;
        var place = new RequestQueryBuildingPlacement { AbilityId = 321, TargetPos = Near(new Random(5), home, 10) };
        using var builder = new RecordingBuilder { Description = match.Describe() };
        using var game = PlayedGame.Joined(builder.Write(match.Observations));
        Assert.Equal(ActionResult.NotEnoughMinerals, Placed(new RequestQuery { Placements = { place } }));
        place.AbilityId = 1; // an ability that builds nothing
        Assert.Equal(ActionResult.Error, Placed(new RequestQuery { Placements = { place } }));
        place.AbilityId = 319;
        place.TargetPos = new Point2D { X = float.NaN, Y = 3 };
        Assert.Equal(ActionResult.Error, Placed(new RequestQuery { Placements = { place } }));

        ActionResult Placed(RequestQuery query) => game.Query(query).Query.Placements[0].Result;
    }

    [Fact]
    public void Invalid_grids_refuse_the_query_and_nothing_else()
    {
        var way = new RequestQueryPathing { StartPos = At(1, 1), EndPos = At(6, 6) };
        var pathing = new RequestQuery { Pathing = { way } };
        System.Action<ResponseGameInfo>[] damages =
        [
            info => info.StartRaw = null,
            info => info.StartRaw.PathingGrid.BitsPerPixel = 8,
            info => info.StartRaw.PathingGrid.Data = Google.Protobuf.ByteString.CopyFromUtf8("short"),
            info => info.StartRaw.PathingGrid.Size = new Size2DI { X = -1, Y = 8 },
            info => info.StartRaw.PlacementGrid.Size = new Size2DI { X = 4, Y = 8 },
        ];
        foreach (var damage in damages)
        {
            var info = RecordingBuilder.SimpleInfo();
            info.StartRaw.PathingGrid = info.StartRaw.PathingGrid.Clone();
            info.StartRaw.PlacementGrid = info.StartRaw.PlacementGrid.Clone();
            damage(info);
            using var builder = new RecordingBuilder();
            builder.Description.GameInfo = info;
            using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Bare(0), RecordingBuilder.Bare(1)));
            Assert.Contains("The recording", Assert.Single(game.Query(pathing).Error));
            Assert.Equal(1u, game.Step().Step.SimulationLoop);
        }
    }

    private static Point2D Near(Random random, Point home, float far) =>
        At(home.X + (far * ((2 * random.NextSingle()) - 1)), home.Y + (far * ((2 * random.NextSingle()) - 1)));

    private static Point2D At(float x, float y) => new() { X = x, Y = y };
}
