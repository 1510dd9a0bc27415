using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>
/// Answers as a game does that is in a match; of its requests only those for an observation, a step and a ping.
/// </summary>
/// <remarks>
/// An answer with an observation has as its <c>id</c>, which the client here does not use, when it stood ready: the
/// lower 32 bits of the microseconds of <see cref="MonotonicClock"/>. So what is timed begins where it does with a
/// bridge: when the game has answered.
/// </remarks>
internal sealed class PolledGame : IRequestHandler
{
    private static readonly byte[] Over = new ResponseObservation
    {
        PlayerResult = { new PlayerResult { PlayerId = 1, Result = Result.Undecided } },
    }.ToByteArray();

    private TaskCompletionSource<Play> _play = New();

    /// <summary>Plays a match with the next client that asks for an observation.</summary>
    /// <returns>Completes when it is over or the client has left; fails where the match does.</returns>
    public Task PlayAsync(MeasuredSource match)
    {
        var play = new Play(match);
        _play.SetResult(play);
        return play.Ended.Task;
    }

    /// <inheritdoc/>
    public async ValueTask<RequestOutcome> AnswerAsync(
        Request request, IBufferWriter<byte> response, CancellationToken left)
    {
        switch (request.RequestCase)
        {
            case Request.RequestOneofCase.Observation:
                return await ObserveAsync(response, left);
            case Request.RequestOneofCase.Step:
                WireWriter.WriteBytes(response, Response.StepFieldNumber, []);
                break;
            case Request.RequestOneofCase.Ping:
                WireWriter.WriteBytes(response, Response.PingFieldNumber, []);
                break;
            default:
                WireWriter.WriteBytes(
                    response,
                    Response.ErrorFieldNumber,
                    System.Text.Encoding.UTF8.GetBytes($"this game answers no {request.RequestCase}: it is observed"));
                break;
        }

        WireWriter.WriteNumber(response, Response.StatusFieldNumber, (ulong)Status.InGame);
        return RequestOutcome.Answered;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private static TaskCompletionSource<Play> New() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async ValueTask<RequestOutcome> ObserveAsync(IBufferWriter<byte> response, CancellationToken left)
    {
        Play? play = null;
        try
        {
            play = await _play.Task.WaitAsync(left);
            await play.Match.WaitAsync(play.RequestedNs, left);
            var frame = await play.Match.NextAsync(left);
            if (frame is null)
            {
                WireWriter.WriteBytes(response, Response.ObservationFieldNumber, Over);
                WireWriter.WriteNumber(response, Response.StatusFieldNumber, (ulong)Status.Ended);
                End(play).SetResult();
                return RequestOutcome.Answered;
            }

            play.RequestedNs = frame.Header.RequestedNs;
            WireWriter.WriteBytes(response, Response.ObservationFieldNumber, frame.Observation.Span);
            frame.Release();
            WireWriter.WriteNumber(response, Response.StatusFieldNumber, (ulong)Status.InGame);
            WireWriter.WriteNumber(response, Response.IdFieldNumber, (uint)(MonotonicClock.NowNs / 1000));
            return RequestOutcome.Answered;
        }
        catch (OperationCanceledException) when (left.IsCancellationRequested)
        {
            // A client that has received enough leaves.
            if (play is not null)
            {
                End(play).SetResult();
            }

            return RequestOutcome.Abandoned;
        }
        catch (GameException problem) when (play is not null)
        {
            End(play).SetException(problem);
            return RequestOutcome.Died;
        }
    }

    // The next client plays the next match.
    private TaskCompletionSource End(Play play)
    {
        _play = New();
        return play.Ended;
    }

    private sealed class Play(MeasuredSource match)
    {
        public MeasuredSource Match { get; } = match;

        public long? RequestedNs { get; set; }

        public TaskCompletionSource Ended { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
