namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>Which queries get recorded answers, which are computed from the grids, and which are refused.</summary>
public sealed class QueryTests
{
    private static readonly RequestQueryPathing _way = new() { StartPos = At(1, 1), EndPos = At(6, 6) };
    private static readonly RequestQueryBuildingPlacement _place = new() { AbilityId = 5, TargetPos = At(4, 4) };
    private static readonly RequestQueryAvailableAbilities _unit = new() { UnitTag = 9 };

    [Fact]
    public void The_same_question_in_the_same_step_has_the_recorded_answer_however_it_was_asked()
    {
        using var builder = new RecordingBuilder();
        builder.Queries.Add((3, 1,
            new RequestQuery { Pathing = { new RequestQueryPathing { UnitTag = 3 }, _way }, Placements = { _place } },
            new ResponseQuery
            {
                Pathing = { Way(1), Way(70) },
                Placements = { Placed(ActionResult.CantSeeBuildLocation) },
            }));
        builder.Queries.Add((3, 1, new RequestQuery { Abilities = { _unit } }, Able(11)));
        using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Loops(20)), strict: true);
        game.Step(3);
        var both = new RequestQuery { Abilities = { _unit }, Pathing = { _way }, Placements = { _place } };
        var answer = game.Query(both).Query;
        Assert.Equal(70, answer.Pathing[0].Distance);
        Assert.Equal(ActionResult.CantSeeBuildLocation, answer.Placements[0].Result);
        Assert.Equal(11, answer.Abilities[0].Abilities[0].AbilityId);
        Assert.Equal((3, 0, 0), (game.Totals.Recorded, game.Totals.PathLengths, game.Totals.Placements));
        Assert.Empty(game.Said);
    }

    [Fact]
    public void Another_step_other_eyes_or_prices_make_another_question()
    {
        using var builder = new RecordingBuilder();
        var ask = new RequestQuery { Pathing = { _way } };
        builder.Queries.Add((3, 2, ask, new ResponseQuery { Pathing = { Way(1) } }));
        builder.Queries.Add((5, 1, ask, new ResponseQuery { Pathing = { Way(2) } }));
        builder.Queries.Add((5, 1, new RequestQuery { Placements = { _place } },
            new ResponseQuery { Placements = { Placed(ActionResult.CantAddMoreCharges) } }));
        using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Loops(20)), strict: true);
        game.Step(3);
        Assert.NotEmpty(game.Query(ask).Error);
        game.Step(2);
        Assert.Equal(2, game.Query(ask).Query.Pathing[0].Distance);
        Assert.Equal(2, game.Query(new RequestQuery { Pathing = { _way }, IgnoreResourceRequirements = true })
            .Query.Pathing[0].Distance);
        Assert.NotNull(game.Query(new RequestQuery { Placements = { _place } }).Query);
        var free = new RequestQuery { Placements = { _place }, IgnoreResourceRequirements = true };
        Assert.NotEmpty(game.Query(free).Error);

        // The same again, from the beginning.
        game.Ask(new Request { RestartGame = new RequestRestartGame() });
        Assert.NotEmpty(game.Query(ask).Error);
        game.Step(5);
        Assert.Equal(2, game.Query(ask).Query.Pathing[0].Distance);
    }

    [Fact]
    public void Unrecorded_queries_are_answered_from_the_grids_with_one_note_or_refused()
    {
        var query = new RequestQuery { Pathing = { _way, _way }, Placements = { _place } };
        using var builder = new RecordingBuilder();
        var path = builder.Write(RecordingBuilder.Loops(3));
        using (var game = PlayedGame.Joined(path))
        {
            Assert.Equal(7.07, game.Query(query).Query.Pathing[1].Distance, 0.01);
            game.Step();
            game.Query(query);
            Assert.Equal((4, 2, 0), (game.Totals.PathLengths, game.Totals.Placements, game.Totals.Recorded));
            Assert.Equal(2, game.Said.Count);
            Assert.All(game.Said, line => Assert.StartsWith("not the game's own answers: ", line));
            Assert.Contains("4 path lengths and 2 placements from the map's grids", game.Totals.ToString());
        }

        using var strict = PlayedGame.Joined(path, strict: true);
        Assert.Contains("--strict", Assert.Single(strict.Query(query).Error));
        Assert.Equal((0, 1), (strict.Totals.PathLengths, strict.Totals.Refused));
        Assert.Equal(1u, strict.Step().Step.SimulationLoop);
    }

    [Fact]
    public void Abilities_are_those_of_the_nearest_step_at_which_they_were_asked_or_refused()
    {
        using var builder = new RecordingBuilder();
        var ask = new RequestQuery { Abilities = { _unit } };
        builder.Queries.Add((10, 1, ask, Able(10)));
        builder.Queries.Add((30, 1, ask, Able(30)));
        var path = builder.Write(RecordingBuilder.Loops(1000));
        using (var game = PlayedGame.Joined(path))
        {
            Assert.Equal(10, Of(game));
            game.Step(19);
            Assert.Equal(10, Of(game));
            game.Step(2);
            Assert.Equal(30, Of(game));
            game.Step(9);
            Assert.Equal(30, Of(game));
            Assert.Equal((1, 3), (game.Totals.Recorded, game.Totals.Nearby));
            Assert.Single(game.Said);
            var other = new RequestQueryAvailableAbilities { UnitTag = 8 };
            Assert.NotEmpty(game.Query(new RequestQuery { Abilities = { other } }).Error);
            game.Step(448);
            Assert.Equal(30, Of(game));
            game.Step();
            Assert.Contains("abilities", Assert.Single(game.Query(ask).Error));
        }

        using var strict = PlayedGame.Joined(path, strict: true);
        Assert.NotEmpty(strict.Query(ask).Error);
        strict.Step(10);
        Assert.Equal(10, Of(strict));

        int Of(PlayedGame game) => game.Query(ask).Query.Abilities[0].Abilities[0].AbilityId;
    }

    [Fact]
    public void Too_many_ways_at_once_are_refused_as_the_game_does()
    {
        using var builder = new RecordingBuilder();
        using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Loops(2)));
        var query = new RequestQuery();
        query.Pathing.AddRange(Enumerable.Repeat(_way, 10_001));
        Assert.Contains("at most 10000", Assert.Single(game.Query(query).Error));
    }

    [Fact]
    public void A_client_that_leaves_is_reckoned_for_no_longer()
    {
        using var builder = new RecordingBuilder();
        var path = builder.Write(RecordingBuilder.Loops(2));
        using var recording = PlayableRecording.Open(path);
        using var notes = new PlayedGame(path);
        using var game = new RecordedGame(recording, new RecordedGameOptions { Recording = path }, notes);
        Ask(new Request { CreateGame = PlayedGame.Create() }, false);
        Ask(new Request { JoinGame = PlayedGame.Participant(Race.Terran) }, false);
        var query = new Request { Query = new RequestQuery { Pathing = { _way } } };
        Assert.Throws<OperationCanceledException>(() => Ask(query, true));
        Assert.Throws<OperationCanceledException>(() => Ask(new Request { Step = new RequestStep() }, true));

        void Ask(Request request, bool left) =>
            game.Answer(request, new System.Buffers.ArrayBufferWriter<byte>(), new CancellationToken(left));
    }

    [Fact]
    public void Seeing_everything_is_refused_if_it_was_not_recorded()
    {
        using var builder = new RecordingBuilder();
        var path = builder.Write(RecordingBuilder.Loops(2));
        var seeing = new Request { Observation = new RequestObservation { DisableFog = true } };
        using (var game = PlayedGame.Joined(path))
        {
            Assert.NotNull(game.Ask(seeing).Observation);
            Assert.NotNull(game.Ask(seeing).Observation);
            Assert.Contains("disable_fog", Assert.Single(game.Said));
        }

        using var strict = PlayedGame.Joined(path, strict: true);
        Assert.Contains("disable_fog", Assert.Single(strict.Ask(seeing).Error));
    }

    private static Point2D At(float x, float y) => new() { X = x, Y = y };

    private static ResponseQueryPathing Way(float distance) => new() { Distance = distance };

    private static ResponseQueryBuildingPlacement Placed(ActionResult result) => new() { Result = result };

    private static ResponseQuery Able(int ability) => new()
    {
        Abilities =
        {
            new ResponseQueryAvailableAbilities
            {
                UnitTag = 9,
                Abilities = { new AvailableAbility { AbilityId = ability } },
            },
        },
    };
}
