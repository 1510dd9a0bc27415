using System.Buffers;
using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Answers requests behind a server as the game does: the simulated game, a recording, or a game that runs elsewhere.
/// One request at a time.
/// </summary>
public interface IRequestHandler : IAsyncDisposable
{
    /// <summary>
    /// Fails where the game did while it answered no request; never completes otherwise.
    /// </summary>
    Task Failure { get; }

    /// <summary>Answers a request, once it can be.</summary>
    /// <param name="request">Any, sensible or not: what cannot be done is answered with an error.</param>
    /// <param name="response">Takes the serialized Response, with the request's id and the game's state.</param>
    /// <param name="left">The client has gone: nobody waits for the answer any more.</param>
    /// <remarks>
    /// Requests are read ahead on the thread that answers them. One that takes long gives the thread back first
    /// (<see cref="Task.Yield"/>), so that a client that leaves meanwhile is noticed.
    /// </remarks>
    /// <exception cref="Exception">The game failed; it is not asked again.</exception>
    ValueTask<RequestOutcome> AnswerAsync(Request request, IBufferWriter<byte> response, CancellationToken left);
}
