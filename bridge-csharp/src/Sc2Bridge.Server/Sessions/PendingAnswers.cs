using Microsoft.Extensions.Logging;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Kind = Sc2Bridge.V1.PlayRequest.MessageOneofCase;

namespace Sc2Bridge.Server;

/// <summary>
/// Answers a client's calls while its other messages are handled: a call waits for the game, a description for a match.
/// Descriptions are sent in the order of their requests, and so are answers to <c>control</c>; others as soon as they are made.
/// </summary>
/// <param name="calls">Makes the answers.</param>
/// <param name="requests">Bounds the connection's requests.</param>
/// <param name="identity">The client.</param>
/// <param name="sendAsync">Sends an answer. Never fails.</param>
/// <param name="logger">Logs defects.</param>
/// <param name="ended">The session has ended.</param>
internal sealed class PendingAnswers(
    BridgeCalls calls, ConnectionRequests requests, Identity identity, Func<PlayResponse, Task> sendAsync, ILogger logger,
    CancellationToken ended) : IDisposable
{
    private readonly SemaphoreSlim _free = new(SessionLimits.MostRequests, SessionLimits.MostRequests);
    private Task _controls = Task.CompletedTask;

    /// <summary>Completes when every description that was requested so far is written or given up.</summary>
    public Task Descriptions { get; private set; } = Task.CompletedTask;

    /// <summary>
    /// Starts to answer <c>describe</c>, <c>call_game</c>, <c>control</c> or <c>status</c>; waits first if too many answers are
    /// pending.
    /// </summary>
    /// <param name="request">The message.</param>
    /// <param name="own">The session's subscription; null before it has one.</param>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask AddAsync(PlayRequest request, Subscription? own)
    {
        HeldRequest? held = null;
        try
        {
            // Charged before it waits for a place, because it is in memory already.
            held = requests.Hold(identity, request);
            await _free.WaitAsync(ended);
        }
        catch (RequestRefusedException refused)
        {
            // The request is freed now: its client may not read the refusal for long.
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
                _controls = AnswerAsync(request, own, held, _controls);
                break;
            default:
                _ = AnswerAsync(request, own, held, Task.CompletedTask);
                break;
        }
    }

    /// <summary>Waits until every answer is written or given up.</summary>
    public async Task CompleteAsync()
    {
        for (var i = 0; i < SessionLimits.MostRequests; i++)
        {
            await _free.WaitAsync(CancellationToken.None);
        }

        _free.Release(SessionLimits.MostRequests);
    }

    /// <inheritdoc/>
    public void Dispose() => _free.Dispose();

    private static Error ErrorOf(RequestRefusedException refused) => new() { Code = refused.Code, Message = refused.Message };

    private async Task AnswerAsync(PlayRequest request, Subscription? own, HeldRequest held, Task after)
    {
        using var disposed = held;
        try
        {
            var made = await MakeAsync(request, own, held);
            await after;
            if (made is not null)
            {
                await sendAsync(made);
            }
        }
        finally
        {
            _free.Release();
        }
    }

    // Whatever goes wrong, the client must get an answer. Null if the session has ended.
    private async Task<PlayResponse?> MakeAsync(PlayRequest request, Subscription? own, HeldRequest held)
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
#pragma warning disable CA1031 // A defect, or a game that has failed: the session goes on.
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
