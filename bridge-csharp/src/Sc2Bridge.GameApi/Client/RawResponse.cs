using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>One answer of the game as it came, with where its parts stand.</summary>
/// <param name="Buffer">The whole <c>Response</c>; the receiver of the answer releases it.</param>
/// <param name="Slice">Where the parts stand in <see cref="MessageBuffer.Written"/>.</param>
/// <param name="RequestedNs">When the request was sent, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="ObservedNs">When the last byte was there, on the same clock.</param>
public readonly record struct RawResponse(MessageBuffer Buffer, ResponseSlice Slice, long RequestedNs, long ObservedNs)
{
    /// <summary>The serialized body (a <c>ResponseObservation</c>, say); empty where there is none.</summary>
    public ReadOnlySpan<byte> Body => Slice.BodyField == 0
        ? default
        : Buffer.Written.Span.Slice(Slice.BodyStart, Slice.BodyLength);

    /// <summary>True where the game answered with errors alone.</summary>
    public bool Refused => Slice.BodyField == 0;

    /// <summary>What the game said beside or instead of a body; empty in almost every answer.</summary>
    public IReadOnlyList<string> Errors() =>
        Slice.HasErrors ? [.. Response.Parser.ParseFrom(Buffer.Written.Span).Error] : [];
}

/// <summary>What came of a step and the observation after it.</summary>
/// <param name="StepErrors">Empty where the step was done.</param>
/// <param name="Observation">The observation's answer; the receiver releases its buffer.</param>
public readonly record struct SteppedAnswer(IReadOnlyList<string> StepErrors, RawResponse Observation);

/// <summary>Takes the game's answer to a request that was passed on (<see cref="GameClient.PassAsync"/>).</summary>
public interface IOutcomeReceiver
{
    /// <summary>The answer is there. The next one is read when this is done; it never throws.</summary>
    /// <param name="answer">As the game sent it; the receiver releases its buffer.</param>
    ValueTask TakeAsync(RawResponse answer);

    /// <summary>No answer will come.</summary>
    /// <param name="failure">Why.</param>
    void Fail(GameException failure);
}

/// <summary>A request that was sent and whose answer has not come.</summary>
/// <param name="id">Its id on the wire; null where it has none.</param>
/// <param name="kind">Its kind.</param>
internal abstract class PendingResponse(uint? id, Request.RequestOneofCase kind)
{
    internal uint? Id { get; } = id;

    internal Request.RequestOneofCase Kind { get; } = kind;

    internal long RequestedNs { get; } = MonotonicClock.NowNs;

    /// <summary>Whether the request is the client's own, whose answer is held to what was asked.</summary>
    internal abstract bool IsOwn { get; }

    /// <summary>The answer is there, and its buffer goes with it. The next one is read when this is done.</summary>
    internal abstract ValueTask GiveAsync(RawResponse answer);

    /// <summary>No answer will come.</summary>
    internal abstract void Fail(GameException failure);
}

/// <summary>A request whose answer somebody waits for.</summary>
/// <remarks>
/// Where <paramref name="inline"/> is set, the waiting task continues on the thread that read the answer: no hop, but
/// the next answer is read only when that code waits again. A cancelled one stays in line, so that its answer is still
/// read.
/// </remarks>
internal sealed class AwaitedResponse(uint id, Request.RequestOneofCase kind, bool inline) : PendingResponse(id, kind)
{
    private readonly TaskCompletionSource<RawResponse> _answer =
        new(inline ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously);

    internal override bool IsOwn => true;

    internal override ValueTask GiveAsync(RawResponse answer)
    {
        if (!_answer.TrySetResult(answer))
        {
            answer.Buffer.Release();
        }

        return default;
    }

    internal override void Fail(GameException failure) => _answer.TrySetException(failure);

    /// <summary>Waits no more: the answer's buffer goes back to its pool when it comes, or now where it came.</summary>
    internal void Drop()
    {
        if (!_answer.TrySetCanceled() && _answer.Task.IsCompletedSuccessfully)
        {
            _answer.Task.Result.Buffer.Release();
        }
    }

    internal async ValueTask<RawResponse> WaitAsync(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.UnsafeRegister(
            static (answer, token) => ((TaskCompletionSource<RawResponse>)answer!).TrySetCanceled(token), _answer);
        return await _answer.Task.ConfigureAwait(false);
    }
}

/// <summary>A request of somebody else's that was passed on.</summary>
internal sealed class PassedRequest(uint? id, Request.RequestOneofCase kind, IOutcomeReceiver taker)
    : PendingResponse(id, kind)
{
    internal override bool IsOwn => false;

    internal override ValueTask GiveAsync(RawResponse answer) => taker.TakeAsync(answer);

    internal override void Fail(GameException failure) => taker.Fail(failure);
}
