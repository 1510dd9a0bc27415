using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>One unparsed answer of the game, and the positions of its parts.</summary>
/// <param name="Buffer">The whole <c>Response</c>; the receiver of the answer releases it.</param>
/// <param name="Slice">The positions of the parts in <see cref="MessageBuffer.Written"/>.</param>
/// <param name="RequestedNs">When the request was sent, in nanoseconds of <see cref="MonotonicClock"/>.</param>
/// <param name="ObservedNs">When the answer's last byte arrived, on the same clock.</param>
public readonly record struct RawResponse(MessageBuffer Buffer, ResponseSlice Slice, long RequestedNs, long ObservedNs)
{
    /// <summary>The serialized body, for example a <c>ResponseObservation</c>. Empty if the answer has no body.</summary>
    public ReadOnlySpan<byte> Body => Slice.BodyField == 0
        ? default
        : Buffer.Written.Span.Slice(Slice.BodyStart, Slice.BodyLength);

    /// <summary>True if the answer has errors and no body.</summary>
    public bool Refused => Slice.BodyField == 0;

    /// <summary>
    /// The errors that the game sent, with or without a body. The list is almost always empty. Invalid UTF-8 becomes U+FFFD.
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
    /// <exception cref="GameException">The bytes are not a <c>Response</c>.</exception>
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

    internal static GameException Malformed(Exception malformed, string whileAnswering = "") => new(
        $"The game's answer{whileAnswering} is not a Response: {malformed.Message} Is something else listening there?", malformed);
}

/// <summary>Receives the game's answer to a request.</summary>
public interface IResponseReceiver
{
    /// <summary>Receives the answer. The next answer is read after this method has returned. The method must not throw.</summary>
    /// <param name="answer">The answer, as the game sent it. The receiver releases the answer's buffer.</param>
    ValueTask ReceiveAsync(RawResponse answer);

    /// <summary>Reports that no answer will come.</summary>
    /// <param name="failure">The cause.</param>
    void Fail(GameException failure);
}

/// <summary>An answer that a task waits for.</summary>
/// <param name="inline">
/// Whether the waiting task continues on the thread that read the answer. This saves a thread switch, but the next answer is read only when
/// the task waits again.
/// </param>
/// <remarks>After a cancellation, this object stays in the queue, so that its answer is still read.</remarks>
internal sealed class AwaitedResponse(bool inline) : IResponseReceiver
{
    private readonly TaskCompletionSource<RawResponse> _answer =
        new(inline ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously);

    /// <inheritdoc/>
    public ValueTask ReceiveAsync(RawResponse answer)
    {
        if (!_answer.TrySetResult(answer))
        {
            answer.Buffer.Release();
        }

        return default;
    }

    /// <inheritdoc/>
    public void Fail(GameException failure) => _answer.TrySetException(failure);

    /// <summary>Stops waiting. The answer's buffer is released when the answer arrives, or now if the answer has arrived.</summary>
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
