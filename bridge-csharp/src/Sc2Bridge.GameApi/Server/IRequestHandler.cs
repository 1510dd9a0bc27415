using System.Buffers;
using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Answers the requests to a server of the game's API. The answers come from the simulated game, a recording, or a game that runs
/// elsewhere. A handler handles one request at a time.
/// </summary>
public interface IRequestHandler : IAsyncDisposable
{
    /// <summary>
    /// A task that fails if the game fails at a time when no request is being answered. Otherwise the task never completes.
    /// </summary>
    Task Failure { get; }

    /// <summary>Answers a request as soon as possible.</summary>
    /// <param name="request">Any request. An invalid request is answered with an error.</param>
    /// <param name="response">Receives the serialized Response, with the request's id and the game's state.</param>
    /// <param name="left">Cancelled when the client has disconnected and needs no answer.</param>
    /// <remarks>
    /// The thread that answers a request also reads the next requests. Before a long request, yield the thread (<see cref="Task.Yield"/>),
    /// so that the server notices a client that disconnects during the request.
    /// </remarks>
    /// <exception cref="Exception">The game failed. The handler gets no more requests.</exception>
    ValueTask<RequestOutcome> AnswerAsync(Request request, IBufferWriter<byte> response, CancellationToken left);
}
