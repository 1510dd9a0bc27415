using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;
using static Sc2Bridge.Recordings.Tests.Analysis.MadeMatch;

namespace Sc2Bridge.Recordings.Tests.Analysis;

/// <summary>The findings in a match's observations.</summary>
public sealed class MatchAnalystTests
{
    [Fact]
    public void A_fight_has_the_losses_and_damage_of_both_sides()
    {
        var analyst = new MatchAnalyst(Data, Describe(0));
        Add(analyst, 0, Observe(100, Unit(1, 1, 20), Unit(2, 1, 21), Unit(3, 2, 25), Unit(4, 2, 26), Unit(5, 2, 90)));
        Add(analyst, 0, Observe(122, Unit(1, 1, 20, 40), Unit(2, 1, 21), Unit(3, 2, 25, 3), Unit(4, 2, 26, 3), Unit(5, 2, 90)));
        Add(analyst, 0, Observe(123, Unit(1, 1, 20, 30), Unit(2, 1, 21), Unit(4, 2, 26, 1)).WithDead(3));
        Add(analyst, 0, Observe(124, Unit(1, 1, 20, 30), Unit(2, 1, 21)).WithDead(4, 999));
        var analysis = analyst.Finish();
        Assert.Equal((MatchAnalyst.Rules, 100u, 124u), (analysis.Rules, analysis.FirstLoop, analysis.LastLoop));
        var fight = Assert.Single(analysis.Fights);
        Assert.Equal((122u, 124u, 1u, 30.0), (fight.FirstLoop, fight.LastLoop, fight.Ahead, fight.Y));
        Assert.Equal([(1u, 0L, 1), (2u, 100L, 0)], fight.Sides.Select(side => (side.PlayerId, side.Minerals, side.Damaged)));
        Assert.Equal([new LostUnits(Marine, "Marine", 2)], fight.Sides[1].Lost);
    }

    [Fact]
    public void A_death_that_both_players_see_counts_once()
    {
        var analyst = new MatchAnalyst(Data, Describe(1, 2));
        foreach (var perspective in (uint[])[1, 2])
        {
            Add(analyst, perspective, Observe(10, Unit(1, 1, 20), Unit(2, 1, 20), Unit(3, 2, 22)));
        }

        foreach (var perspective in (uint[])[1, 2])
        {
            Add(analyst, perspective, Observe(20, Unit(3, 2, 22)).WithDead(1, 2));
        }

        Assert.Equal(2, Assert.Single(Assert.Single(analyst.Finish().Fights).Sides[0].Lost).Count);
    }

    [Fact]
    public void Units_that_kill_each_other_are_near_each_other()
    {
        var analyst = new MatchAnalyst(Data, Describe(0));
        Add(analyst, 0, Observe(10, Unit(1, 1, 20), Unit(2, 2, 20)));
        Add(analyst, 0, Observe(20).WithDead(1, 2));
        Assert.Equal([50L, 50L], Assert.Single(analyst.Finish().Fights).Sides.Select(side => side.Minerals));
    }

    [Fact]
    public void Units_without_an_owner_and_remembered_or_hallucinated_units_do_not_count()
    {
        var analyst = new MatchAnalyst(Data, Describe(0));
        Unit[] unreal = [Unit(3, 1, 20), Unit(4, 1, 20), Unit(5, 16, 20), Unit(6, 0, 20)];
        unreal[0].IsHallucination = true;
        unreal[1].DisplayType = DisplayType.Snapshot;
        Add(analyst, 0, Observe(10, [Unit(1, 2, 20), Unit(2, 2, 20), .. unreal]));
        Add(analyst, 0, Observe(20).WithDead(1, 2, 3, 4, 5, 6));
        Assert.Empty(analyst.Finish().Fights);
    }

    [Fact]
    public void An_observation_that_is_earlier_than_the_last_one_does_not_count()
    {
        var analyst = new MatchAnalyst(Data, Describe(0));
        Add(analyst, 0, Observe(100, Unit(1, 1, 20), Unit(2, 1, 20), Unit(3, 2, 20)));
        Add(analyst, 0, Observe(50).WithDead(1, 2));
        Add(analyst, 0, Observe(uint.MaxValue).WithDead(1, 2));
        var analysis = analyst.Finish();
        Assert.Equal((0, 100u, 100u), (analysis.Fights.Count, analysis.FirstLoop, analysis.LastLoop));
    }

    [Fact]
    public void Town_halls_that_are_built_during_the_match_are_expansions()
    {
        var analyst = new MatchAnalyst(Data, Describe(0));
        var start = Unit(1, 1, 20, type: Nexus);
        Add(analyst, 0, Observe(0, start));
        Add(analyst, 0, Observe(500, start, Unit(2, 1, 50, type: Nexus, progress: 0.1f)));
        Add(analyst, 0, Observe(900, start, Unit(2, 1, 50, type: Nexus)));
        Add(analyst, 0, Observe(1000, start, Unit(3, 1, 70, type: Nexus, progress: 0.5f)).WithDead(2));
        Assert.Equal(
            [
                new TownHall("Nexus", 20, 30, 0, false, null, null), new TownHall("Nexus", 50, 30, 500, true, 900, 1000),
                new TownHall("Nexus", 70, 30, 1000, true, null, null),
            ],
            analyst.Finish().Players[0].Bases);
    }

    [Fact]
    public void Supply_blocks_floating_resources_and_idle_times_are_of_the_players_own_perspective()
    {
        var analyst = new MatchAnalyst(Data, Describe(1));
        Player(analyst, 0, used: 15, cap: 15, minerals: 999, idle: 0);
        Player(analyst, 43, used: 15, cap: 23, minerals: 1000, idle: 1); // too short for a block
        Player(analyst, 100, used: 23, cap: 23, minerals: 1400, idle: 2);
        Player(analyst, 144, used: 24, cap: 23, minerals: 1100, idle: 3);
        Player(analyst, 166, used: 24, cap: 31, minerals: 1100, idle: 3);
        Player(analyst, 700, used: 24, cap: 31, minerals: 1100, idle: 3);
        Player(analyst, 722, used: 200, cap: 200, minerals: 10, idle: 3.25f);
        Player(analyst, 900, used: 0, cap: 0, minerals: 1000, idle: 4); // scenarios have no supply
        Player(analyst, 2000, used: 0, cap: 0, minerals: 1000, idle: 4);
        var players = analyst.Finish().Players;
        Assert.Equal([(1u, true), (2u, false)], players.Select(player => (player.PlayerId, player.IsObserved)));
        Assert.Equal([new LoopSpan(100, 166)], players[0].SupplyBlocks);
        Assert.Equal(
            [new FloatingSpan("minerals", 43, 722, 1400), new FloatingSpan("minerals", 900, 2000, 1000)], players[0].Floating);
        Assert.Equal((4.0, 8.0), (players[0].IdleProduction, players[0].IdleWorkers));
        Assert.Null(players[1].IdleProduction);
    }

    [Fact]
    public void Failed_actions_are_counted_by_kind_those_that_were_refused_and_those_that_failed_later()
    {
        var analyst = new MatchAnalyst(Data, Describe(1));
        var observation = Observe(0);
        observation.ActionErrors.Add(new ActionError { Result = ActionResult.CantBuildLocationInvalid });
        Add(analyst, 1, observation);
        var record = new ActionRecord { Perspective = 1, Outcome = new() };
        foreach (var result in (ActionResult[])[ActionResult.Success, ActionResult.NotEnoughFood, ActionResult.NotEnoughFood, 0])
        {
            record.Outcome.Outcomes.Add(new ActionOutcome { Result = (int)result });
        }

        analyst.Add(record);
        analyst.Add(new ActionRecord { Perspective = 1, Actions = { new SC2APIProtocol.Action() }, Outcome = new() { Error = new() } });
        analyst.Add(new ActionRecord { Outcome = record.Outcome }); // from an observer
        Assert.Equal(
            [
                new FailedActions("NotEnoughFood", 2, 0), new FailedActions("RefusedByBridge", 2, 0),
                new FailedActions("CantBuildLocationInvalid", 0, 1),
            ],
            analyst.Finish().Players[0].Errors);
    }

    [Fact]
    public void A_unit_that_an_observation_has_several_times_counts_once()
    {
        var analyst = new MatchAnalyst(Data, Describe(0));
        Add(analyst, 0, Observe(10, Unit(1, 1, 20), Unit(1, 1, 20, health: 9), Unit(2, 2, 20), Unit(3, 2, 20)));
        Add(analyst, 0, Observe(20).WithDead(2, 2, 2, 3));
        var sides = Assert.Single(analyst.Finish().Fights).Sides;
        Assert.Equal([(0L, 0), (100L, 0)], sides.Select(side => (side.Minerals, side.Damaged)));
    }

    [Fact]
    public void A_unit_that_an_older_observation_of_another_player_still_has_dies_once()
    {
        var analyst = new MatchAnalyst(Data, Describe(1, 2));
        Unit[] units = [Unit(1, 1, 20), Unit(2, 1, 20), Unit(3, 2, 20)];
        Add(analyst, 1, Observe(10, units));
        Add(analyst, 1, Observe(20, units[2]).WithDead(1, 2));
        Add(analyst, 2, Observe(19, units));
        Add(analyst, 2, Observe(20, units[2]).WithDead(1, 2));
        Assert.Equal(2, Assert.Single(Assert.Single(analyst.Finish().Fights).Sides[0].Lost).Count);
    }

    [Fact]
    public void Players_are_those_that_a_match_can_have()
    {
        var description = Describe(0);
        description.Players.Add(new V1.Player { PlayerId = 16 });
        description.Players.Add(new V1.Player { PlayerId = 3, Kind = PlayerKind.Observer });
        var analyst = new MatchAnalyst(Data, description);
        foreach (var perspective in (uint[])[4, 16, uint.MaxValue])
        {
            analyst.Add(new ActionRecord { Perspective = perspective, Outcome = new() { Error = new() } });
            Add(analyst, perspective, Observe(0));
        }

        Assert.Equal([1u, 2, 4], analyst.Finish().Players.Select(player => player.PlayerId));
    }

    // The output has a limit, and so has the memory for such a match. The test's deadline limits the time.
    [Fact]
    public void The_analysis_of_a_hostile_match_can_be_read()
    {
        const int Count = 3 * UnitMemory.MostUnits;
        var data = new ResponseData();
        for (var type = 0u; type < 500; type++)
        {
            data.Units.Add(new UnitTypeData { UnitId = type, Name = type == 7 ? "Hatchery" : new string((char)1, 60 + ((int)type % 9)), MineralCost = 100 });
        }

        var description = Describe(0);
        description.Players.Add(Enumerable.Range(3, 13).Select(player => new V1.Player { PlayerId = (uint)player }));
        IEnumerable<ulong> dead = [];
        var analyst = new MatchAnalyst(data, description);
        for (var loop = 0u; loop < 880; loop += 22)
        {
            var observation = Observe(loop);
            for (var number = 0; number < Count; number++)
            {
                // Pairs of enemies all over the map. A third of them lose life. In each observation, the others are new units that die in the next.
                observation.Observation.RawData.Units.Add(Unit(
                    (ulong)number + (number % 3 > 0 ? loop * Count : 0), 1 + (number % 15), number / 2 * 20 % 3000, 9000 - loop, (uint)(number + loop) % 500));
            }

            Add(analyst, 0, observation.WithDead([.. dead]));
            dead = observation.Observation.RawData.Units.Select(unit => unit.Tag).Where(tag => tag >= Count);
        }

        for (var kind = 1000; kind < 3000; kind++)
        {
            analyst.Add(new ActionRecord { Perspective = 1, Outcome = new() { Outcomes = { new ActionOutcome { Result = kind } } } });
        }

        var analysis = analyst.Finish();
        Assert.InRange(analysis.Fights.Sum(fight => 1 + fight.Sides.Sum(side => 1 + side.Lost.Count)), FightFinder.MostRows - 500, FightFinder.MostRows);
        Assert.Equal((TownHalls.MostHalls, PlayerWatch.MostErrorKinds), (analysis.Players.Sum(player => player.Bases.Count), analysis.Players[0].Errors.Count));
        Assert.InRange(AnalysisJson.Write(analysis).Length, 0, McapLimits.Analysis);
    }

    [Fact]
    public void Bytes_of_any_kind_are_analysed_or_refused()
    {
        var random = new Random(3);
        var whole = Observe(10, Unit(1, 1, 20), Unit(2, 2, 20)).WithDead(1).ToByteArray();
        for (var turn = 0; turn < Cases.Of(2000); turn++)
        {
            var bytes = whole.ToArray();
            for (var changes = random.Next(1, 4); changes > 0; changes--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            var analyst = new MatchAnalyst(Data, Describe(0));
            try
            {
                analyst.Add(0, bytes.AsSpan(0, random.Next(bytes.Length + 1)));
                Add(analyst, 0, Observe(uint.MaxValue - 1).WithDead(2));
            }
            catch (Exception malformed) when (malformed is MalformedMessageException or InvalidProtocolBufferException)
            {
                // These are the documented errors.
            }

            Assert.NotEmpty(AnalysisJson.Write(analyst.Finish()));
        }
    }

    private static void Add(MatchAnalyst analyst, uint perspective, ResponseObservation observation) =>
        analyst.Add(perspective, observation.ToByteArray());

    private static void Player(MatchAnalyst analyst, uint loop, uint used, uint cap, uint minerals, float idle)
    {
        var observation = Observe(loop);
        observation.Observation.PlayerCommon = new PlayerCommon { FoodUsed = used, FoodCap = cap, Minerals = minerals };
        observation.Observation.Score = new Score
        {
            ScoreDetails = new ScoreDetails { IdleProductionTime = idle, IdleWorkerTime = 2 * idle },
        };
        Add(analyst, 1, observation);
    }
}
