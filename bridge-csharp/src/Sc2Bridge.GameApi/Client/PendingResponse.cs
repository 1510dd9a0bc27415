using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

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
internal sealed class PassedRequest(uint? id, Request.RequestOneofCase kind, IResponseReceiver taker)
    : PendingResponse(id, kind)
{
    internal override bool IsOwn => false;

    internal override ValueTask GiveAsync(RawResponse answer) => taker.TakeAsync(answer);

    internal override void Fail(GameException failure) => taker.Fail(failure);
}
