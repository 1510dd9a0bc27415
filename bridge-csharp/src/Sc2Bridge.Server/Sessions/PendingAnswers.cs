using Microsoft.Extensions.Logging;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Kind = Sc2Bridge.V1.PlayRequest.MessageOneofCase;

namespace Sc2Bridge.Server;

/// <summary>
/// Answers a client's calls while other messages of the client are handled: a call may wait for the game, and a description for a match.
/// Descriptions are sent in the order of their requests, and answers to <c>control</c> in the order of the control requests.
/// Other answers are sent as soon as they are ready.
/// </summary>
/// <param name="calls">Executes the calls.</param>
/// <param name="requests">Limits the connection's requests.</param>
/// <param name="identity">The client's identity.</param>
/// <param name="sendAsync">Sends an answer. Never fails.</param>
/// <param name="logger">Logs defects.</param>
/// <param name="ended">Cancelled when the session has ended.</param>
internal sealed class PendingAnswers(
    BridgeCalls calls, ConnectionRequests requests, Identity identity, Func<PlayResponse, Task> sendAsync, ILogger logger,
    CancellationToken ended) : IDisposable
{
    private readonly SemaphoreSlim _freePlaces = new(SessionLimits.MostPendingCalls, SessionLimits.MostPendingCalls);
    private Task _lastControl = Task.CompletedTask;

    /// <summary>Completes when every description that was requested so far is written or discarded.</summary>
    public Task Descriptions { get; private set; } = Task.CompletedTask;

    /// <summary>
    /// Starts to answer <c>describe</c>, <c>call_game</c>, <c>control</c> or <c>status</c>. If too many answers are pending,
    /// this method waits first.
    /// </summary>
    /// <param name="request">The message.</param>
    /// <param name="own">The session's subscription; null before the client has subscribed.</param>
    /// <exception cref="OperationCanceledException">The session has ended.</exception>
    public async ValueTask AddAsync(PlayRequest request, Subscription? own)
    {
        HeldRequest? held = null;
        try
        {
            // The request is charged before the wait for a free place among the pending answers, because the request is already in memory.
            held = requests.Hold(identity, request);
            await _freePlaces.WaitAsync(ended);
        }
        catch (RequestRefusedException refused)
        {
            // Frees the request now, because its client may not read the refusal for a long time.
            request.ClearMessage();
            await sendAsync(new() { RequestId = request.RequestId, Error = ErrorOf(refused) });
            return;
        }
        catch (OperationCanceledException)
        {
            held?.Dispose();
            throw;
        }

        switch (request.MessageCase)
        {
            case Kind.Describe:
                Descriptions = AnswerAsync(request, own, held, Descriptions);
                break;
            case Kind.Control:
                _lastControl = AnswerAsync(request, own, held, _lastControl);
                break;
            default:
                _ = AnswerAsync(request, own, held, Task.CompletedTask);
                break;
        }
    }

    /// <summary>Waits until every answer is written or discarded.</summary>
    public async Task CompleteAsync()
    {
        for (var i = 0; i < SessionLimits.MostPendingCalls; i++)
        {
            await _freePlaces.WaitAsync(CancellationToken.None);
        }

        _freePlaces.Release(SessionLimits.MostPendingCalls);
    }

    /// <inheritdoc/>
    public void Dispose() => _freePlaces.Dispose();

    private static Error ErrorOf(RequestRefusedException refused) => new() { Code = refused.Code, Message = refused.Message };

    private async Task AnswerAsync(PlayRequest request, Subscription? own, HeldRequest held, Task previousAnswer)
    {
        using var disposed = held;
        try
        {
            var answer = await ExecuteAsync(request, own, held);
            await previousAnswer;
            if (answer is not null)
            {
                await sendAsync(answer);
            }
        }
        finally
        {
            _freePlaces.Release();
        }
    }

    // If the call fails, returns an answer with the error, because the client must always get an answer. Returns null only after the session has ended.
    private async Task<PlayResponse?> ExecuteAsync(PlayRequest request, Subscription? own, HeldRequest held)
    {
        PlayResponse answer;
        try
        {
            answer = request.MessageCase switch
            {
                Kind.Describe => new() { Describe = await calls.DescribeAsync(request.Describe, identity, ended) },
                Kind.CallGame => new() { CallGame = await calls.CallGameAsync(request.CallGame, own, identity, held, ended) },
                Kind.Control => new() { Control = calls.Control(request.Control, own, identity) },
                _ => new() { Status = calls.Status(request.Status, own, identity) },
            };
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            return null;
        }
        catch (RequestRefusedException refused)
        {
            answer = new() { Error = ErrorOf(refused) };
        }
#pragma warning disable CA1031 // The session continues after a defect or a failure of the game.
        catch (Exception failed)
#pragma warning restore CA1031
        {
            ServerLog.RequestFailed(logger, failed, own?.Name ?? "");
            answer = new() { Error = new Error { Code = StatusCode.Unavailable, Message = failed.Message } };
        }

        answer.RequestId = request.RequestId;
        return answer;
    }
}
