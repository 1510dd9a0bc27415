using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>One answer of the game as it came, with where its parts stand.</summary>
/// <param name="Buffer">The whole <c>Response</c>; the receiver of the answer releases it.</param>
/// <param name="Slice">Where the parts stand in <see cref="MessageBuffer.Written"/>.</param>
/// <param name="AskedNs">When the request was sent, in nanoseconds of <see cref="Streaming.MonotonicClock"/>.</param>
/// <param name="ArrivedNs">When the last byte was there, on the same clock.</param>
public readonly record struct GameAnswer(MessageBuffer Buffer, ResponseSlice Slice, long AskedNs, long ArrivedNs)
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
public readonly record struct SteppedAnswer(IReadOnlyList<string> StepErrors, GameAnswer Observation);

/// <summary>A request that was sent and whose answer has not come.</summary>
/// <remarks>
/// Where <paramref name="inline"/> is set, whoever waits goes on upon the thread that read the answer: no hop, but the
/// next answer is read only when that code waits again. A cancelled one stays in line, so that its answer is still
/// read.
/// </remarks>
internal sealed class PendingAnswer(uint id, Request.RequestOneofCase kind, long askedNs, bool inline)
    : TaskCompletionSource<GameAnswer>(
        inline ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously)
{
    internal uint Id { get; } = id;

    internal Request.RequestOneofCase Kind { get; } = kind;

    internal long AskedNs { get; } = askedNs;

    /// <summary>Waits no more: the answer's buffer goes back to its pool when it comes, or now where it came.</summary>
    internal void Drop()
    {
        if (!TrySetCanceled() && Task.IsCompletedSuccessfully)
        {
            Task.Result.Buffer.Release();
        }
    }

    internal async ValueTask<GameAnswer> WaitAsync(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.UnsafeRegister(
            static (pending, token) => ((PendingAnswer)pending!).TrySetCanceled(token), this);
        return await Task.ConfigureAwait(false);
    }
}
