using System.Text;
using Google.Protobuf;
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

    /// <summary>
    /// The errors that the game sent with a body or instead of one; empty in almost every answer. Bytes that are not UTF-8 become U+FFFD.
    /// </summary>
    public IReadOnlyList<string> Errors()
    {
        if (!Slice.HasErrors)
        {
            return [];
        }

        var errors = new List<string>();
        var reader = new WireReader(Buffer.Written.Span);
        while (reader.Next())
        {
            if ((reader.Field, reader.Type) == (Response.ErrorFieldNumber, WireFormat.WireType.LengthDelimited))
            {
                errors.Add(Encoding.UTF8.GetString(reader.Content));
            }
        }

        return errors;
    }

    /// <summary>Parses the whole answer.</summary>
    /// <exception cref="GameException">It is not a <c>Response</c>.</exception>
    public Response Parse()
    {
        try
        {
            return Response.Parser.ParseFrom(Buffer.Written.Span);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw Malformed(malformed);
        }
    }

    internal static GameException Malformed(Exception malformed, string doing = "") => new(
        $"The game's answer{doing} is not a Response: {malformed.Message} Is something else listening there?", malformed);
}

/// <summary>Takes the game's answer to a request.</summary>
public interface IResponseReceiver
{
    /// <summary>The answer is there. The next one is read when this is done; it never throws.</summary>
    /// <param name="answer">As the game sent it; the receiver releases its buffer.</param>
    ValueTask TakeAsync(RawResponse answer);

    /// <summary>No answer will come.</summary>
    /// <param name="failure">Why.</param>
    void Fail(GameException failure);
}

/// <summary>An answer that somebody waits for.</summary>
/// <param name="inline">
/// Whether the waiting task continues on the thread that read the answer: no hop, but the next answer is read only when that
/// code waits again.
/// </param>
/// <remarks>A cancelled one stays in line, so that its answer is still read.</remarks>
internal sealed class AwaitedResponse(bool inline) : IResponseReceiver
{
    private readonly TaskCompletionSource<RawResponse> _answer =
        new(inline ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously);

    /// <inheritdoc/>
    public ValueTask TakeAsync(RawResponse answer)
    {
        if (!_answer.TrySetResult(answer))
        {
            answer.Buffer.Release();
        }

        return default;
    }

    /// <inheritdoc/>
    public void Fail(GameException failure) => _answer.TrySetException(failure);

    /// <summary>Waits no more: the answer's buffer goes back to its pool when it comes, or now if it came.</summary>
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
