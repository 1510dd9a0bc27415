using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A recording's answers to agents' requests.</summary>
public sealed class RecordedAnswersTests
{
    private const int Steps = 3000;
    private readonly byte[] _bytes = Write();

    [Fact]
    public async Task The_same_request_at_the_same_step_has_the_recorded_answer()
    {
        await using var source = PlayedRecording.Play(_bytes);
        foreach (var step in new ulong[] { 0, 700, 100, 2900, 100 })
        {
            source.SeekStep(step);
            var response = await source.RequestAsync(0, Pathing(7), Ct);
            Assert.Equal(step, response.Query.Pathing[0].Distance);
            Assert.False(response.HasId);
        }

        var asked = Pathing(7);
        asked.Id = 77;
        Assert.Equal(77u, (await source.RequestAsync(0, asked, Ct)).Id);
    }

    [Fact]
    public async Task Between_recorded_ones_the_nearest_answers()
    {
        await using var source = PlayedRecording.Play(_bytes);
        source.SeekStep(140);
        Assert.Equal(100, (await source.RequestAsync(0, Pathing(7), Ct)).Query.Pathing[0].Distance);
        source.SeekStep(160);
        Assert.Equal(200, (await source.RequestAsync(0, Pathing(7), Ct)).Query.Pathing[0].Distance);
    }

    [Theory]
    [InlineData(8, 0u, 0ul)]
    [InlineData(7, 1u, 0ul)]
    [InlineData(9, 0u, 1499ul)]
    public async Task Queries_that_were_not_recorded_are_refused(int unit, uint perspective, ulong step)
    {
        await using var source = PlayedRecording.Play(_bytes);
        source.SeekStep(step);
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(
            () => source.RequestAsync(perspective, Pathing(unit), Ct));
        Assert.Equal(StatusCode.FailedPrecondition, refused.Code);
        Assert.Contains(
            $"no agent sent this request (Query) within 448 steps of step {step}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_recorded_refusal_is_one_again()
    {
        await using var source = PlayedRecording.Play(_bytes);
        source.SeekStep(1052);
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(
            () => source.RequestAsync(0, Pathing(9), Ct));
        Assert.Equal((StatusCode.FailedPrecondition, "no way there"), (refused.Code, refused.Message));
    }

    [Fact]
    public async Task Many_may_ask_at_once()
    {
        await using var source = PlayedRecording.Play(_bytes);
        var answers = Enumerable.Range(0, 64).Select(_ => source.RequestAsync(0, Pathing(7), Ct));
        Assert.All(await Task.WhenAll(answers), answer => Assert.Equal(0, answer.Query.Pathing[0].Distance));
    }

    [Fact]
    public async Task Of_a_recording_that_was_cut_off_what_is_there_answers_and_a_refusal_says_so()
    {
        await using var source = PlayedRecording.Play(_bytes[..(_bytes.Length * 2 / 3)]);
        Assert.Equal(0, (await source.RequestAsync(0, Pathing(7), Ct)).Query.Pathing[0].Distance);
        await Assert.ThrowsAsync<RequestRefusedException>(
            () => source.RequestAsync(0, Pathing(8), Ct));
    }

    [Fact]
    public void Memory_is_bounded_however_much_was_answered_at_a_step()
    {
        const int Asked = 40;
        var large = new Response { Error = { new string('x', 1 << 20) } };
        var records = Enumerable.Range(0, Asked).Select(unit => new RequestRecord { Request = Pathing(unit), Response = large });
        using var answers = new RecordedAnswers(() => records);
        Assert.Null(answers.Find(0, 0, Pathing(0)));
        Assert.NotNull(answers.Find(0, 0, Pathing(Asked - 1)));
    }

    // A match with agents that query unit 7's path at each hundredth step, and unit 9's path once.
    private static byte[] Write()
    {
        var sink = new MemorySink();
        var description = new MatchDescription { MatchId = "m1", Perspectives = { 0u } };
        using var writer = new RecordingWriter(sink, description, nowNs: 0, unixOffsetNs: 1_000_000_000);
        for (var step = 0u; step < Steps; step++)
        {
            var frame = ObservationFrame.Copy(
                Google.Protobuf.MessageExtensions.ToByteArray(
                    new ResponseObservation { Observation = new Observation { GameLoop = step } }),
                new FrameHeader("m1", 0, step, step, step * 40_000_000L, step * 40_000_000L));
            writer.Add(frame);
            frame.Release();
            if (step % 100 == 0)
            {
                var answer = new Response { Id = 5, Query = new ResponseQuery() };
                answer.Query.Pathing.Add(new ResponseQueryPathing { Distance = step });
                writer.Add(new AgentRequest(
                    step * 40_000_000L, new RequestRecord { Step = step, Request = Pathing(7), Response = answer }));
            }

            if (step == 1050)
            {
                var refused = new RequestRecord { Step = step, Request = Pathing(9), Refusal = "no way there" };
                writer.Add(new AgentRequest(step * 40_000_000L, refused));
            }
        }

        writer.Finish(new MatchEnd { MatchId = "m1", Reason = EndReason.Finished }, Steps * 40_000_000L);
        return sink.Bytes;
    }

    private static Request Pathing(int unit) => new()
    {
        Query = new RequestQuery
        {
            Pathing = { new RequestQueryPathing { UnitTag = (ulong)unit, EndPos = new Point2D { X = 1, Y = 2 } } },
        },
    };
}
