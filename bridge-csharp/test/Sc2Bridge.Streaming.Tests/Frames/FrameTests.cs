using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;

namespace Sc2Bridge.Streaming.Tests;

public sealed class FrameTests
{
    [Fact]
    public void The_envelope_parses_as_the_event_and_the_grpc_prefix_is_right() =>
        Prop.ForAll<(NonNull<string> Match, uint Perspective, ulong Step, uint Loop), (long Asked, long Arrived), int>(
            (what, times, seed) =>
            {
                var match = new string([.. what.Match.Get.Where(c => !char.IsSurrogate(c)).Take(90)]);
                var observation = Observations.Make(new Random(seed));
                var header = new FrameHeader(match, what.Perspective, what.Step, what.Loop, times.Asked, times.Arrived);
                var frame = ObservationFrame.Copy(observation.ToByteArray(), header);
                var expected = Expected(header, observation);
                AssertEvent(expected, frame.EventMessage);

                expected.Frame.Skipped = new Skipped { Frames = 3, DeadUnits = { new ulong[500] } };
                expected.Frame.Outcomes.Add(
                    new ActionsOutcome { RequestId = 7, Outcomes = { new ActionOutcome { Result = 1 } } });
                var own = new V1.Frame { Skipped = expected.Frame.Skipped, Outcomes = { expected.Frame.Outcomes } };
                var head = new byte[EnvelopeWriter.MostBytes + EnvelopeWriter.LongestMatchName + own.CalculateSize()];
                var start = EnvelopeWriter.WriteBefore(
                    head, head.Length, frame.Observation.Length, header, own.ToByteArray());
                AssertEvent(expected, (byte[])[.. head.AsSpan(start), .. frame.Observation.Span]);
                frame.Release();
                TestMatch.AssertReleased(frame);
            }).QuickCheckThrowOnFailure();

    [Fact]
    public void Selecting_equals_parsing_clearing_and_serializing()
    {
        for (var seed = 0; seed < 64; seed++)
        {
            AssertSelects(Observations.Make(new Random(seed)).ToByteArray(), (PartSet)(seed << 1), canonical: true);
        }
    }

    [Fact]
    public void Selecting_takes_fields_in_any_order_and_repeated()
    {
        for (var seed = 0; seed < 300; seed++)
        {
            var random = new Random(seed);
            var bytes = Scatter(Observations.Make(random), random);
            AssertSelects(bytes, (PartSet)(random.Next(128) << 1), canonical: false);
        }
    }

    [Fact]
    public void Selecting_works_on_the_games_own_bytes()
    {
        foreach (var (_, bytes) in Observations.AtHand())
        {
            // The game orders fields by number, as the library does, but also writes defaults. So only parsed messages are compared.
            PartSet[] sets = [PartSet.MapState, PartSet.Raw, PartSet.FeatureLayers | PartSet.Ui, (PartSet)254];
            foreach (var parts in sets)
            {
                AssertSelects(bytes, parts, canonical: false);
            }
        }
    }

    [Fact]
    public void A_selection_is_made_once_and_shared_while_the_frame_is_held()
    {
        using var match = new TestMatch();
        var frame = match.MakeFrame(0, Observations.Make(new Random(1)));
        using var selected = frame.ObservationWithout(PartSet.MapState);
        using var again = frame.ObservationWithout(PartSet.MapState);
        using var other = frame.ObservationWithout(PartSet.MapState | PartSet.Ui);
        Assert.Equal(selected.Memory, again.Memory);
        Assert.NotEqual(selected.Memory, other.Memory);
        Assert.Equal(frame.Observation, frame.ObservationWithout(PartSet.None).Memory);
        frame.Retain();
        frame.Release();
        Assert.Null(ResponseObservation.Parser.ParseFrom(selected.Span).Observation.RawData.MapState);
        frame.Release();
        match.AssertAllReleased();
    }

    private static void AssertEvent(V1.PlayResponse expected, ReadOnlyMemory<byte> message) =>
        Assert.Equal(expected, V1.PlayResponse.Parser.ParseFrom(message.Span));

    private static V1.PlayResponse Expected(FrameHeader header, ResponseObservation observation) => new()
    {
        Frame = new V1.Frame
        {
            MatchId = header.MatchId,
            Perspective = header.Perspective,
            Step = header.Step,
            GameLoop = header.GameLoop,
            RequestedNs = header.RequestedNs,
            ObservedNs = header.ObservedNs,
            Content = Content.Observation,
            Observation = observation,
        },
    };

    private static void AssertSelects(byte[] bytes, PartSet leaveOut, bool canonical)
    {
        var frame = ObservationFrame.Copy(bytes, new FrameHeader("m", 0, 1, 2, 3, 4));
        var expected = ResponseObservation.Parser.ParseFrom(bytes);
        Clear(expected.Observation, leaveOut);
        using var selected = frame.ObservationWithout(leaveOut);
        using var message = frame.EventMessageWithout(leaveOut);
        Assert.Equal(expected, ResponseObservation.Parser.ParseFrom(selected.Span));
        AssertEvent(Expected(frame.Header, expected), message.Memory);
        if (canonical)
        {
            Assert.Equal(expected.ToByteArray(), selected.Span.ToArray());
        }

        frame.Release();
        TestMatch.AssertReleased(frame);
    }

    private static void Clear(Observation observation, PartSet leaveOut)
    {
        if (leaveOut.HasFlag(PartSet.Abilities))
        {
            observation.Abilities.Clear();
        }

        observation.Score = leaveOut.HasFlag(PartSet.Score) ? null : observation.Score;
        observation.RawData = leaveOut.HasFlag(PartSet.Raw) ? null : observation.RawData;
        observation.FeatureLayerData = leaveOut.HasFlag(PartSet.FeatureLayers) ? null : observation.FeatureLayerData;
        observation.RenderData = leaveOut.HasFlag(PartSet.Render) ? null : observation.RenderData;
        observation.UiData = leaveOut.HasFlag(PartSet.Ui) ? null : observation.UiData;
        if (leaveOut.HasFlag(PartSet.MapState) && observation.RawData is { } raw)
        {
            raw.MapState = null;
        }
    }

    /// <summary>The same message with its fields split over several pieces, in any order.</summary>
    private static byte[] Scatter(ResponseObservation whole, Random random)
    {
        var raw = whole.Observation.RawData;
        ObservationRaw[] raws =
            [new() { MapState = raw.MapState }, new() { Units = { raw.Units } }, new() { Event = raw.Event }];
        var rest = whole.Observation.Clone();
        rest.RawData = null;
        rest.Score = null;
        Observation[] observations =
            [rest, new() { Score = whole.Observation.Score },
                .. raws.Select(piece => new Observation { RawData = piece })];
        ResponseObservation[] pieces =
            [new() { Chat = { whole.Chat } },
                .. observations.Select(piece => new ResponseObservation { Observation = piece })];
        random.Shuffle(pieces);
        return [.. pieces.SelectMany(piece => piece.ToByteArray())];
    }
}
