using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>What a client receives when the match ends, or the recording ends before the match.</summary>
public sealed class EndingTests
{
    private static readonly PlayerResult[] _results =
        [new() { PlayerId = 1, Result = Result.Victory }, new() { PlayerId = 2, Result = Result.Defeat }];

    [Fact]
    public void Results_that_the_last_observation_tells_are_given_as_they_came()
    {
        using var builder = new RecordingBuilder { End = Finished() };
        var last = WithResults(2);
        using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Bare(0), RecordingBuilder.Bare(1), last));
        Assert.Equal(Status.InGame, game.Step().Status);
        Assert.Equal(Status.Ended, game.Step().Status);
        Assert.Equal(last, game.ObserveBytes());
        Assert.Equal(_results, game.Observe().Observation.PlayerResult);
        AssertOver(game);
    }

    [Fact]
    public void Results_that_came_later_are_in_the_next_observation_as_the_game_has_it()
    {
        using var builder = new RecordingBuilder { End = Finished() };
        using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Bare(0), RecordingBuilder.Bare(1)));
        Assert.Equal(Status.Ended, game.Step(8).Status);
        Assert.Equal(RecordingBuilder.Bare(1), game.ObserveBytes());
        Assert.Equal(_results, game.Observe().Observation.PlayerResult);
        AssertOver(game);
        Assert.Empty(game.Said);
    }

    [Fact]
    public void A_second_observation_of_the_last_loop_that_tells_the_results_is_given_second()
    {
        using var builder = new RecordingBuilder { End = Finished() };
        using var game = PlayedGame.Joined(builder.Write([.. RecordingBuilder.Loops(2), WithResults(1)]));
        Assert.Equal(Status.Ended, game.Step().Status);
        Assert.Empty(game.Observe().Observation.PlayerResult);
        Assert.Equal(_results, game.Observe().Observation.PlayerResult);
    }

    [Fact]
    public void The_stub_that_the_game_can_send_last_is_no_place()
    {
        using var builder = new RecordingBuilder { End = Finished() };
        var path = builder.Write(RecordingBuilder.Bare(3), RecordingBuilder.Bare(uint.MaxValue));
        using var game = PlayedGame.Joined(path);
        Assert.Equal(3u, game.Observe().Observation.Observation.GameLoop);
        Assert.Equal(Status.Ended, game.Status);
        Assert.Equal(_results, game.Observe().Observation.PlayerResult);
    }

    [Fact]
    public void A_recording_that_ends_before_its_match_is_undecided_and_says_why()
    {
        using var builder = new RecordingBuilder { End = new MatchEnd { Reason = EndReason.StepLimit } };
        using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Bare(0), RecordingBuilder.Bare(1)));
        Assert.Equal(Status.InGame, game.Step().Status);
        Assert.Empty(game.Observe().Observation.PlayerResult);
        var stepped = game.Step();
        Assert.Equal((1u, Status.Ended), (stepped.Step.SimulationLoop, stepped.Status));
        var results = game.Observe().Observation.PlayerResult;
        Assert.Equal([(1u, Result.Undecided), (2u, Result.Undecided)], results.Select(r => (r.PlayerId, r.Result)));
        var said = Assert.Single(game.Said);
        Assert.Equal("the recording ends at game loop 1, before its match does (step limit): the result is undecided", said);
        AssertOver(game);
    }

    [Fact]
    public void A_match_that_was_broken_off_is_undecided_whatever_its_last_step()
    {
        using var builder = new RecordingBuilder { End = new MatchEnd { Detail = "the game crashed", Aborted = true } };
        using var game = PlayedGame.Joined(builder.Write(RecordingBuilder.Bare(0)));
        game.Step();
        Assert.Contains("the game crashed", Assert.Single(game.Said));
        Assert.Equal(Status.Ended, game.Status);
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public void A_file_that_is_cut_off_or_damaged_is_played_as_far_as_it_is_whole()
    {
        using var builder = new RecordingBuilder { End = Finished() };
        var random = new Random(6);
        var path = builder.Write(Enumerable.Range(0, 400).Select(loop => Noise(random, (uint)loop)));
        var whole = File.ReadAllBytes(path);
        for (var i = 0; i < 40; i++)
        {
            var damaged = (byte[])whole.Clone();
            var at = whole.Length / 2 + random.Next(whole.Length / 2);
            File.WriteAllBytes(path, i % 2 == 0 ? damaged[..at] : Flip(damaged, at));
            PlayedGame game;
            try
            {
                game = PlayedGame.Joined(path);
            }
            catch (Recordings.RecordingException refused)
            {
                Assert.DoesNotContain('\n', refused.Message);
                continue;
            }

            using (game)
            {
                var loop = 0u;
                while (game.Status == Status.InGame)
                {
                    var seen = game.Observe().Observation.Observation;
                    Assert.Equal(loop, seen.GameLoop);
                    Assert.Equal(Noised((uint)loop), seen.RawData.Units[0].Tag);
                    loop = game.Step().Step.SimulationLoop;
                }

                Assert.InRange(game.Said.Count, 0, 1);
            }
        }

        static byte[] Flip(byte[] bytes, int at)
        {
            bytes[at] ^= 0x55;
            return bytes;
        }
    }

    [Fact]
    public void An_unplayable_file_is_one_clear_error()
    {
        using var builder = new RecordingBuilder();
        var path = builder.Write(RecordingBuilder.Bare(0));
        Assert.Contains("--nothing.mcap", Refused("--nothing.mcap"));
        builder.Description.GameInfo = null;
        Assert.Contains("has no game_info", Refused(builder.Write(RecordingBuilder.Bare(0))));
        builder.Description.GameInfo = RecordingBuilder.SimpleInfo();
        builder.Description.Data = null;
        Assert.Contains("has no data", Refused(builder.Write(RecordingBuilder.Bare(0))));
        File.WriteAllText(path, "no recording");
        Assert.Contains(path, Refused(path));

        static string Refused(string path)
        {
            var line = Assert.Throws<Recordings.RecordingException>(() => PlayableRecording.Open(path)).Message;
            Assert.DoesNotContain('\n', line);
            return line;
        }
    }

    private static void AssertOver(PlayedGame game)
    {
        Assert.Equal("Game has already ended", Assert.Single(game.Step().Error));
        Assert.Equal("Not supported if game has already ended", Assert.Single(game.Query(new RequestQuery()).Error));
        Assert.Equal(Status.Launched, game.Ask(new Request { LeaveGame = new RequestLeaveGame() }).Status);
    }

    private static MatchEnd Finished() => new() { Reason = EndReason.Finished, Results = { _results } };

    private static byte[] WithResults(uint loop) => new ResponseObservation
    {
        Observation = new Observation { GameLoop = loop },
        PlayerResult = { _results },
    }.ToByteArray();

    private static ulong Noised(uint loop) => (loop * 7919UL) + 1;

    // Large and incompressible enough for several chunks.
    private static byte[] Noise(Random random, uint loop)
    {
        var noise = new byte[60_000];
        random.NextBytes(noise);
        return new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = loop,
                RawData = new ObservationRaw
                {
                    Units = { new Unit { Tag = Noised(loop) } },
                    MapState = new MapState { Creep = new ImageData { Data = ByteString.CopyFrom(noise) } },
                },
            },
        }.ToByteArray();
    }
}
