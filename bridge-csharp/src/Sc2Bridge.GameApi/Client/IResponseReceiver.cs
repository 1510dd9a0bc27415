using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>Takes the game's answer to a request that was passed on (<see cref="GameClient.PassAsync"/>).</summary>
public interface IResponseReceiver
{
    /// <summary>The answer is there. The next one is read when this is done; it never throws.</summary>
    /// <param name="answer">As the game sent it; the receiver releases its buffer.</param>
    ValueTask TakeAsync(RawResponse answer);

    /// <summary>No answer will come.</summary>
    /// <param name="failure">Why.</param>
    void Fail(GameException failure);
}
