using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games.Tests.Doctor;

/// <summary>The comparison of two games, on made-up messages.</summary>
public sealed class GameDifferencesTests
{
    private const uint Build410 = 75689;

    [Fact]
    public void A_number_is_different_only_if_the_ranges_do_not_overlap()
    {
        var game = Of(10, 20);
        Assert.Empty(Compare(game, Of(20, 30)));
        var different = Assert.Single(Compare(game, Of(21, 30)));
        Assert.Equal(("range", "observation.game_loop", "10 to 20", "21 to 30"), (different.Kind, different.What, different.Game, different.Simulated));
    }

    [Fact]
    public void Numbers_that_only_identify_something_are_not_compared()
    {
        Assert.Empty(Compare(Seen(1), Seen(2)));

        static FieldPresence Seen(uint number) => Of(new Observation
        {
            RawData = new ObservationRaw
            {
                Units = { new Unit { Tag = number } },
                MapState = new MapState { Creep = new ImageData { Size = new Size2DI { X = (int)number } } },
            },
        });
    }

    [Theory]
    [InlineData(75025, true)]
    [InlineData(Build410, false)]
    public void A_field_that_came_later_is_known_for_earlier_builds_only(uint build, bool known)
    {
        var newer = Of(new Observation { Score = new Score { ScoreDetails = new ScoreDetails { CurrentApm = 1, IdleWorkerTime = 1 } } });
        var older = Of(new Observation { Score = new Score { ScoreDetails = new ScoreDetails { IdleWorkerTime = 1 } } });
        var different = Assert.Single(new GameDifferences(build).OfFields([("bridge", older, newer), ("replay", older, newer)]));
        Assert.Equal(("field", "observation.score.score_details.current_apm"), (different.Kind, different.What));
        Assert.Equal(["bridge", "replay"], different.In);
        Assert.Equal(known, different.Known is not null);
    }

    [Fact]
    public void The_types_of_the_simulated_game_need_the_same_names_in_the_game()
    {
        var simulated = new ResponseData
        {
            Abilities = { Ability(7, ""), Ability(8, "move"), Ability(9, "stop"), Ability(4107, "overcharge") },
        };
        var game = new ResponseData { Abilities = { Ability(7, "x"), Ability(8, "move"), Ability(9, "halt"), Ability(10, "more") } };
        Assert.Equal(
            [("9 halt", "9 stop", null), ("no 4107", "4107 overcharge", "ids from 4107 on came with 5.0.0 (ocraft-s2client issue 36)")],
            new GameDifferences(Build410).OfData(game, simulated).Select(one => (one.Game, one.Simulated, one.Known)));
        Assert.Null(Assert.Single(new GameDifferences(97425).OfData(game, simulated)).Known);

        static AbilityData Ability(uint id, string name) => new() { AbilityId = id, LinkName = name };
    }

    [Fact]
    public void Answers_are_compared_in_the_states_that_both_games_reached()
    {
        var simulated = new[] { Answer(Kind.Step, "in_game", "ok"), Answer(Kind.Step, "observer", "ok"), Answer(Kind.Step, "ended", "refused") };
        var game = new[] { Answer(Kind.Step, "in_game", "refused"), Answer(Kind.Step, "observer", "refused") };
        var different = Assert.Single(GameDifferences.OfAnswers(game, simulated));
        Assert.Equal(("step", "refused", "ok"), (different.What, different.Game, different.Simulated));
        Assert.Equal(["in_game", "observer"], different.In);

        static ConformanceAnswer Answer(Kind kind, string state, string answer) => new(kind, state, answer, "{}");
    }

    [Theory]
    [InlineData(22.4, 22.0, 0)]
    [InlineData(16.0, 22.4, 1)]
    [InlineData(null, 22.4, 0)]
    public void Another_speed_in_real_time_is_a_difference(double? game, double? simulated, int differences) =>
        Assert.Equal(differences, GameDifferences.OfRealTime(game, simulated).Count());

    private static FieldPresence Of(params uint[] loops)
    {
        var presence = new FieldPresence();
        foreach (var loop in loops)
        {
            Add(presence, new Observation { GameLoop = loop });
        }

        return presence;
    }

    private static FieldPresence Of(Observation observation)
    {
        var presence = new FieldPresence();
        Add(presence, observation);
        return presence;
    }

    private static void Add(FieldPresence presence, Observation observation) =>
        presence.Add(ResponseObservation.Descriptor, new ResponseObservation { Observation = observation }.ToByteArray());

    private static IReadOnlyList<GameDifference> Compare(FieldPresence game, FieldPresence simulated) =>
        [.. new GameDifferences(Build410).OfFields([("bridge", game, simulated)])];
}
