using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench.Tests;

/// <summary>The game that a client asks for each observation: its answers, its stamps, its end.</summary>
public sealed class PolledGameTests
{
    private static readonly string Sample =
        Path.Combine(RepositoryFolder.Root!, "recordings", "sample.mcap");

    [Fact]
    public async Task Each_observation_comes_once_with_when_it_stood_ready_and_the_last_answer_has_the_results()
    {
        var ct = TestContext.Current.CancellationToken;
        await using var recorded = RecordedSource.Open(Sample, new PlaybackOptions { Rate = StepRate.Max, From = 200 });
        var game = new PolledGame();
        var played = game.PlayAsync(Measured(recorded));
        List<uint> loops = [];
        while (true)
        {
            var before = MonotonicClock.NowNs / 1000;
            var answer = await AskAsync(game, new Request { Observation = new RequestObservation() }, ct);
            if (answer.Observation.PlayerResult.Count > 0)
            {
                Assert.Equal(Status.Ended, answer.Status);
                break;
            }

            Assert.Equal(Status.InGame, answer.Status);
            Assert.InRange(
                unchecked(answer.Id - (uint)before), 0u, (uint)((MonotonicClock.NowNs / 1000) - before));
            loops.Add(answer.Observation.Observation.GameLoop);
            Assert.NotNull((await AskAsync(game, new Request { Step = new RequestStep { Count = 1 } }, ct)).Step);
        }

        await played;
        Assert.True(loops.Count > 3, $"{loops.Count} observations");
        Assert.Equal(loops.Distinct().Order(), loops);
    }

    [Fact]
    public async Task A_client_that_leaves_ends_the_match_and_what_is_no_question_of_an_observer_is_refused()
    {
        var ct = TestContext.Current.CancellationToken;
        await using var recorded = RecordedSource.Open(Sample, new PlaybackOptions { Rate = StepRate.At(0.01) });
        var game = new PolledGame();
        var refused = await AskAsync(game, new Request { CreateGame = new RequestCreateGame() }, ct);
        Assert.Contains("it is observed", Assert.Single(refused.Error), StringComparison.Ordinal);

        var played = game.PlayAsync(Measured(recorded));
        using var left = new CancellationTokenSource();
        var observe = new Request { Observation = new RequestObservation() };
        await game.AnswerAsync(observe, new ArrayBufferWriter<byte>(), left.Token);
        var waiting = game.AnswerAsync(observe, new ArrayBufferWriter<byte>(), left.Token);
        await left.CancelAsync();
        Assert.Equal(RequestOutcome.Abandoned, await waiting);
        await played;
    }

    private static MeasuredSource Measured(RecordedSource recorded) => new(
        recorded, recorded, new SendOrder(Sample, null, 0, 1, 0, 60), () => ProcessSample.Take([]));

    private static async Task<Response> AskAsync(PolledGame game, Request request, CancellationToken ct)
    {
        var answer = new ArrayBufferWriter<byte>();
        Assert.Equal(RequestOutcome.Answered, await game.AnswerAsync(request, answer, ct));
        return Response.Parser.ParseFrom(answer.WrittenSpan);
    }
}
