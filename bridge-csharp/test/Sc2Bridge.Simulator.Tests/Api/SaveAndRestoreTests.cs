using Google.Protobuf;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Tests.Observing;

namespace Sc2Bridge.Simulator.Tests.Api;

/// <summary>After a quick load, the same requests get the same bytes as in a match without saves and loads.</summary>
public sealed class SaveAndRestoreTests
{
    private const int Loads = 8;
    private static readonly Request Save = new() { QuickSave = new RequestQuickSave() };
    private static readonly Request Load = new() { QuickLoad = new RequestQuickLoad() };
    private static readonly Request Observe = new() { Observation = new RequestObservation() };
    private static readonly Request SaveReplay = new() { SaveReplay = new RequestSaveReplay() };

    [Theory]
    [Trait("Suite", "Slow")]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    public void After_any_saves_and_loads_the_answers_are_those_of_a_match_without_them(int seed)
    {
        var (script, expected) = Played(seed);
        var random = new Random(-seed);
        var game = Begin(seed);
        var (saved, loads) = (-1, 0);
        for (var at = 0; at < script.Count || loads < Loads;)
        {
            if (at < script.Count && (at == 3 || random.Next(12) == 0))
            {
                AnswersWell(game, Save);
                saved = at;
            }

            if (saved >= 0 && loads < Loads && (at == script.Count || random.Next(10) == 0))
            {
                DoSomethingElse(game, random);
                AnswersWell(game, Load);
                (at, loads) = (saved, loads + 1);
            }

            var answer = Answer(game, script[at]);
            Assert.True(expected[at].Equals(answer), $"Request {at}, after {loads} loads: {script[at]}");
            at++;
        }
    }

    [Fact]
    public void What_was_not_observed_before_a_save_is_observed_after_each_load()
    {
        var game = Game.Played();
        game.Act(Game.Say("to be heard"));
        game.Step(3);
        AnswersWell(game, Save);
        for (var loads = 0; loads < 3; loads++)
        {
            Assert.Equal("to be heard", Assert.Single(game.Observe().Observation.Chat).Message);
            Assert.Empty(game.Observe().Observation.Chat);
            AnswersWell(game, Load);
        }
    }

    [Fact]
    public void An_observers_camera_and_perspective_are_restored()
    {
        var game = Game.Joined(Game.Create());
        Look(2, 33, 44);
        AnswersWell(game, Save);
        var saved = Answer(game, Observe);
        Look(1, 80, 20);
        AnswersWell(game, Load);
        Assert.Equal(saved, Answer(game, Observe));

        void Look(uint player, float x, float y)
        {
            var look = new RequestObserverAction();
            look.Actions.Add(new ObserverAction { PlayerPerspective = new() { PlayerId = player } });
            look.Actions.Add(new ObserverAction { CameraMove = new() { WorldPos = Game.At(x, y) } });
            AnswersWell(game, new Request { ObsAction = look });
        }
    }

    [Fact]
    public void The_observations_of_a_folder_go_on_behind_the_last_one_before_the_save()
    {
        var folder = Directory.CreateTempSubdirectory();
        try
        {
            for (uint loop = 1; loop < 6; loop++)
            {
                var file = new ResponseObservation { Observation = new Observation { GameLoop = loop } };
                File.WriteAllBytes(Path.Combine(folder.FullName, $"{loop}.pb"), file.ToByteArray());
            }

            var game = Game.Played(options: new SimulatorOptions { ObservationFolder = folder.FullName });
            game.Observe();
            AnswersWell(game, Save);
            for (var loads = 0; loads < 2; loads++)
            {
                Assert.Equal(2u, game.Observe().Observation.Observation.GameLoop);
                Assert.Equal(3u, game.Observe().Observation.Observation.GameLoop);
                AnswersWell(game, Load);
            }

            AnswersWell(game, new Request { RestartGame = new RequestRestartGame() });
            AnswersWell(game, Save);
            AnswersWell(game, Load);
            Assert.Equal(1u, game.Observe().Observation.Observation.GameLoop);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // The requests depend on the match. So it is played once without saves, and its requests and answers are stored.
    private static (List<Request> Script, List<ByteString> Answers) Played(int seed)
    {
        var random = new Random(seed);
        var made = new AnyMessage(random);
        var game = Begin(seed);
        var (script, answers) = (new List<Request>(), new List<ByteString>());
        for (var i = 0; i < 150; i++)
        {
            var request = random.Next(9) switch
            {
                0 or 1 => new Request { Action = AnySequenceTests.Acting(random, made, game) },
                2 => new Request { Debug = Lasting(AnySequenceTests.Debugging(random, made, game)) },
                3 => new Request { Query = made.Of<RequestQuery>() },
                4 => new Request { ObsAction = made.Of<RequestObserverAction>() },
                5 or 6 => Observe,
                7 when random.Next(4) == 0 => SaveReplay,
                _ => new Request { Step = new RequestStep { Count = (uint)random.Next(1, 30) } },
            };
            script.Add(request);
            answers.Add(Answer(game, request));
        }

        Assert.Equal(Status.InGame, game.Status);
        return (script, answers);
    }

    // The next load reverts these changes.
    private static void DoSomethingElse(SimulatedGame game, Random random)
    {
        if (random.Next(2) == 0)
        {
            var made = new AnyMessage(random);
            Answer(game, new Request { Action = AnySequenceTests.Acting(random, made, game) });
            Answer(game, new Request { ObsAction = made.Of<RequestObserverAction>() });
            Answer(game, new Request { Step = new RequestStep { Count = (uint)random.Next(60) } });
            Answer(game, Observe);
        }
    }

    // A match that has ended cannot be saved.
    private static RequestDebug Lasting(RequestDebug request)
    {
        var lasting = new RequestDebug();
        lasting.Debug.AddRange(request.Debug.Where(command => command.EndGame is null && command.KillUnit is null));
        return lasting;
    }

    // Odd seeds: a player with feature layers against a computer; even ones: an observer of two computers.
    private static SimulatedGame Begin(int seed)
    {
        if (seed % 2 == 0)
        {
            return Game.Joined(Game.Create((uint)seed));
        }

        var create = Game.CreateForOne((uint)seed);
        create.PlayerSetup[1].Difficulty = Difficulty.VeryHard;
        return Game.Joined(create, new RequestJoinGame { Race = Race.Random, Options = Images.Options() });
    }

    private static ByteString Answer(SimulatedGame game, Request request)
    {
        var bytes = new System.Buffers.ArrayBufferWriter<byte>();
        game.Handle(request, bytes);
        return ByteString.CopyFrom(bytes.WrittenSpan);
    }

    private static void AnswersWell(SimulatedGame game, Request request) => Assert.Empty(game.Handle(request).Error);
}
