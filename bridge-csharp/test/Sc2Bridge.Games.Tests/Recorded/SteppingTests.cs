using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>With any step size, a client gets the recorded observations and all events between them.</summary>
public sealed class SteppingTests
{
    private static readonly Arbitrary<int> Seeds = Gen.Choose(0, int.MaxValue - 1).ToArbitrary();

    [Fact]
    public void A_client_that_steps_as_was_recorded_gets_the_very_bytes()
    {
        using var builder = new RecordingBuilder();
        var random = new Random(3);
        byte[][] recorded = [.. Enumerable.Range(0, 30).Select(i => Made(random, (uint)i * 2).ToByteArray())];
        using var game = PlayedGame.Joined(builder.Write(recorded));
        Assert.Equal(recorded[0], game.ObserveBytes());
        for (var i = 1; i < recorded.Length; i++)
        {
            // The loops follow the recording, whatever step size the client requests.
            Assert.Equal((uint)i * 2, game.Step((uint)(i % 2) + 1).Step.SimulationLoop);
            Assert.Equal(recorded[i], game.ObserveBytes());
        }

        Assert.Equal((30, 0), (game.Totals.Observations, game.Totals.Skipped));
    }

    [Fact]
    public void A_step_of_several_loops_leads_to_the_observation_there_or_to_the_next()
    {
        using var builder = new RecordingBuilder();
        using var game = PlayedGame.Joined(builder.Write(Loops(5, 6, 7, 10, 15, 16, 40)));
        Assert.Equal(5u, Loop(game));
        Assert.Equal(7u, game.Step(2).Step.SimulationLoop);
        Assert.Equal(7u, Loop(game));
        Assert.Equal(7u, game.Step(0).Step.SimulationLoop);
        Assert.Equal(10u, game.Ask(new Request { Step = new RequestStep() }).Step.SimulationLoop);
        Assert.Equal(16u, game.Step(6).Step.SimulationLoop);
        Assert.Equal(16u, Loop(game));

        // Outside real time it does not wait for a loop, like the real game.
        var wanted = new Request { Observation = new RequestObservation { GameLoop = 40 } };
        Assert.Equal(16u, game.Ask(wanted).Observation.Observation.GameLoop);
        Assert.Equal(40u, game.Step(24).Step.SimulationLoop);
        Assert.Equal(40u, Loop(game));
    }

    [Fact]
    public void A_repeated_request_gets_events_once()
    {
        using var builder = new RecordingBuilder();
        var path = builder.Write(Made(new Random(4), 3).ToByteArray(), RecordingBuilder.Bare(4));
        using var game = PlayedGame.Joined(path);
        var first = game.Observe().Observation;
        Assert.NotEmpty(first.Chat);
        var expected = Told.Without(first);
        Assert.Equal(expected, game.Observe().Observation);
        Assert.Equal(expected, game.Observe().Observation);
    }

    [Fact]
    public void An_observation_that_was_recorded_twice_is_given_in_turn()
    {
        using var builder = new RecordingBuilder();
        var random = new Random(9);
        var (first, second, third) = (Made(random, 0), Made(random, 0), Made(random, 1));
        var path = builder.Write(first.ToByteArray(), second.ToByteArray(), third.ToByteArray());
        using (var game = PlayedGame.Joined(path))
        {
            Assert.Equal(first, game.Observe().Observation);
            Assert.Equal(second, game.Observe().Observation);
            Assert.Equal(Told.Without(second), game.Observe().Observation);
            game.Step();
            Assert.Equal(third, game.Observe().Observation);
        }

        using var once = PlayedGame.Joined(path);
        var told = new Told();
        told.Add(once.Observe().Observation);
        once.Step();
        told.Add(once.Observe().Observation);
        Assert.Equal(Told.Of(first, second, third), told);
    }

    [Fact]
    public void With_any_steps_a_client_gets_everything_once_and_in_order()
    {
        using var builder = new RecordingBuilder();
        Prop.ForAll(Seeds, seed =>
        {
            var random = new Random(seed);
            var recorded = new List<ResponseObservation>();
            for (var loop = 0u; recorded.Count < 60; loop += (uint)random.Next(1, 4))
            {
                var bare = ResponseObservation.Parser.ParseFrom(RecordingBuilder.Bare(loop));
                recorded.Add(random.Next(2) == 0 ? Made(random, loop) : bare);
            }

            using var game = PlayedGame.Joined(builder.Write(recorded.Select(one => one.ToByteArray())));
            var told = new Told();
            var heard = 0;
            while (game.Status == Status.InGame)
            {
                for (var asked = random.Next(3); asked > 0; asked--)
                {
                    var seen = game.Observe().Observation;
                    var here = recorded.FindIndex(one => one.Observation.GameLoop == seen.Observation.GameLoop);
                    told.Add(seen);
                    Assert.Equal(Told.Of([.. recorded.Take(here + 1)]), told);
                    Assert.Equal(Told.Without(recorded[here]), Told.Without(seen));
                    heard++;
                }

                game.Step((uint)random.Next(9));
            }

            Assert.Equal(heard, game.Totals.Observations);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(60)));
    }

    [Fact]
    public void Eight_loops_at_once_tell_as_much_as_one_by_one()
    {
        using var builder = new RecordingBuilder();
        var random = new Random(12);
        var path = builder.Write(Enumerable.Range(0, 161).Select(loop => Made(random, (uint)loop).ToByteArray()));
        var sums = new List<Told>();
        foreach (var step in new uint[] { 1, 8 })
        {
            using var game = PlayedGame.Joined(path);
            var told = new Told();
            told.Add(game.Observe().Observation);
            while (game.Step(step).Step.SimulationLoop < 160)
            {
                told.Add(game.Observe().Observation);
            }

            told.Add(game.Observe().Observation);
            sums.Add(told);
        }

        Assert.Equal(sums[0], sums[1]);
    }

    [Fact]
    public void It_restarts_and_returns_to_its_saved_state()
    {
        using var builder = new RecordingBuilder();
        var random = new Random(2);
        byte[][] recorded = [.. Enumerable.Range(0, 20).Select(loop => Made(random, (uint)loop).ToByteArray())];
        using var game = PlayedGame.Joined(builder.Write(recorded));
        var unsaved = game.Ask(new Request { QuickLoad = new RequestQuickLoad() });
        Assert.Contains("quick_save", Assert.Single(unsaved.Error));
        game.Step(7);
        Assert.NotNull(game.Ask(new Request { QuickSave = new RequestQuickSave() }).QuickSave);
        game.Step(5);
        Assert.NotNull(game.Ask(new Request { QuickLoad = new RequestQuickLoad() }).QuickLoad);
        Assert.Equal(recorded[7], game.ObserveBytes());
        Assert.NotNull(game.Ask(new Request { RestartGame = new RequestRestartGame() }).RestartGame);
        Assert.Equal(recorded[0], game.ObserveBytes());
        game.Step(50);
        Assert.Equal(Status.Ended, game.Status);
        game.Ask(new Request { RestartGame = new RequestRestartGame() });
        Assert.Equal(Status.InGame, game.Status);
        game.Step();
        Assert.Equal([1u, 1u, 1u], game.Begun);
    }

    private static IEnumerable<byte[]> Loops(params uint[] loops) => loops.Select(RecordingBuilder.Bare);

    private static uint Loop(PlayedGame game) => game.Observe().Observation.Observation.GameLoop;

    private static ResponseObservation Made(Random random, uint loop)
    {
        var made = Observations.Make(random);
        made.Observation.GameLoop = loop;
        made.Observation.RawData.Player.UpgradeIds.Clear();
        return made;
    }
}
