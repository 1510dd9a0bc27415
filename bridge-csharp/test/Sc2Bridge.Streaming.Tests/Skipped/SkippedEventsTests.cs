using Google.Protobuf;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>
/// A reader under `latest` skips frames. The events in its `skipped` fields and its frames together must be the same, in order, as the
/// events that a reader of every frame gets.
/// </summary>
public sealed class SkippedEventsTests
{
    [Fact]
    public void Made_up_observations()
    {
        for (var seed = 0; seed < 60; seed++)
        {
            var random = new Random(seed);
            Compare(random, [.. Enumerable.Range(0, 80).Select(_ => Made(random).ToByteArray())]);
        }
    }

    [Fact]
    public void Whole_observations()
    {
        // No unit has died at a match's first loop, so made-up events are added. They merge as protobuf fields do.
        var random = new Random(1);
        foreach (var part in Observations.AtHand().Select(one => one.Bytes).Chunk(40))
        {
            Compare(random, [.. part.SelectMany(one => new[] { one, [.. one, .. Made(random).ToByteArray()] })]);
        }
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public void A_simulated_match()
    {
        var game = new SimulatedGame(new SimulatorOptions());
        var create = new RequestCreateGame { LocalMap = new() { MapPath = "Cinder Fortress LE" }, RandomSeed = 1 };
        foreach (var race in new[] { Race.Terran, Race.Zerg })
        {
            create.PlayerSetup.Add(
                new PlayerSetup { Type = PlayerType.Computer, Race = race, Difficulty = Difficulty.VeryHard });
        }

        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        Assert.Empty(game.Handle(new Request { CreateGame = create }).Error);
        var join = new RequestJoinGame { ObservedPlayerId = 0, Options = new() { Raw = true, Score = true } };
        Assert.False(game.Handle(new Request { JoinGame = join }).JoinGame.HasError);
        var observations = new List<byte[]>();
        for (var step = 0; step < 300; step++)
        {
            game.Handle(new Request { Step = new() { Count = 56 } });
            observations.Add(game.Handle(new Request { Observation = new() }).Observation.ToByteArray());
        }

        Assert.True(observations.Count(one => ResponseObservation.Parser.ParseFrom(one)
            .Observation.RawData.Event?.DeadUnits.Count > 0) > 20);
        Compare(new Random(2), observations);
    }

    private static ResponseObservation Made(Random random) =>
        random.Next(3) == 0 ? Observations.Make(random) : new ResponseObservation { Observation = new() { GameLoop = 1 } };

    private static void Compare(Random random, IReadOnlyList<byte[]> observations)
    {
        using var match = new TestMatch();
        using var latest = match.Subscribe(Policy.Latest);
        using var lean = match.Subscribe(
            Policy.Latest, leaveOut: [Part.MapState, Part.Score, Part.Abilities, Part.FeatureLayers, Part.Render, Part.Ui]);
        using var every = match.Subscribe(Policy.Every, Overflow.End, queueBytes: 1 << 30);
        var (skipping, leaning, whole) = (new Heard(), new Heard(), new Heard());
        for (var step = 0; step < observations.Count; step++)
        {
            var frame = ObservationFrame.Copy(observations[step], new FrameHeader(TestMatch.Name, 0, (ulong)step, 0, 0, 0));
            match.Frames.Add(frame);
            _ = match.Hub.Publisher.PublishAsync(frame, Ct).AsTask();
            whole.Hear(every.ReadFrame());
            if (random.Next(4) == 0 || step == observations.Count - 1)
            {
                skipping.Hear(latest.ReadFrame());
                Assert.Equal(whole.Told(), skipping.Told());
            }

            if (random.Next(9) == 0 || step == observations.Count - 1)
            {
                leaning.Hear(lean.ReadFrame());
                Assert.Equal(whole.Told(), leaning.Told());
            }
        }

        match.AssertAllReleased();
    }

    private sealed class Heard
    {
        private readonly Skipped _sum = new();
        private readonly SortedSet<uint> _upgrades = [];
        private ulong _next;

        public void Hear(V1.Frame frame)
        {
            var skipped = frame.Step - _next;
            Assert.Equal(skipped, frame.Skipped?.Frames ?? 0);
            if (frame.Skipped is { } missed)
            {
                Assert.Equal(_next, missed.FirstStep);
                _upgrades.UnionWith(missed.UpgradeIds);
                var events = missed.Clone();
                (events.Frames, events.FirstStep) = (0, 0);
                events.UpgradeIds.Clear();
                _sum.MergeFrom(events);
            }

            _next = frame.Step + 1;
            var (told, raw) = (frame.Observation, frame.Observation.Observation?.RawData);
            _sum.DeadUnits.AddRange(raw?.Event?.DeadUnits ?? []);
            _sum.Alerts.AddRange(told.Observation?.Alerts.Select(alert => (int)alert) ?? []);
            _sum.Actions.AddRange(told.Actions);
            _sum.ActionErrors.AddRange(told.ActionErrors);
            _sum.Chat.AddRange(told.Chat);
            _upgrades.UnionWith(raw?.Player?.UpgradeIds ?? []);
        }

        public Skipped Told()
        {
            var told = _sum.Clone();
            told.UpgradeIds.AddRange(_upgrades);
            return told;
        }
    }
}
